import { ActionIcon, Button, Group, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { ReactFlowProvider } from '@xyflow/react';
import { Bot, CircleAlert, CircleCheck, LayoutGrid, Redo2, Undo2 } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { may, me } from '../../api/me';
import { tool, tools } from '../tools/api';
import { Loading } from '../../ui/Trouble';
import { workflowTexts } from './texts';
import { Canvas, type Choice, dragged } from './Canvas';
import { parsedSample } from './ConditionField';
import { type Draft, withNode } from './draft';
import { Inspector } from './Inspector';
import { laidOut } from './layout';
import { knownPaths } from './paths';
import type { Fault } from './rules';

const Talk = lazy(() => import('../calls/talk/Talk').then((m) => ({ default: m.Talk })));

const t = workflowTexts;
const firstSample = JSON.stringify({ user: { name: 'Ann', age: 30 }, workflow: {}, flags: {} }, null, 2);

interface Props {
  draft: Draft;
  faults: Fault[];
  agents: { name: string; display_name?: string | null }[];
  live: Map<string, number>;
  isNew: boolean;
  readOnly: boolean;
  onChange: (draft: Draft, tag?: string) => void;
  undo?: () => void;
  redo?: () => void;
  talk?: { slug: string; unsaved: boolean; shown: boolean };
}

/** actionsIn finds the actions of a tool, those within others too. */
function actionsIn(value: unknown): { type?: string; key?: string; name?: string }[] {
  if (Array.isArray(value)) return value.flatMap(actionsIn);
  if (value === null || typeof value !== 'object') return [];
  return [value, ...Object.values(value).flatMap(actionsIn)];
}

/** Editor draws a workflow, beside the agents that can be added and the fields of what is chosen. */
export function Editor({ draft, faults, agents, live, isNew, readOnly, onChange, undo, redo, talk }: Props) {
  const [choice, setChoice] = useState<Choice>();
  const [sample, setSample] = useState(firstSample);
  const scopes = useQuery(me).data?.scopes;
  const list = useQuery({ ...tools, enabled: may(scopes, 'tools:read') }).data ?? [];
  const configs = useQueries({
    queries: list.slice(0, 50).map((k) => ({ ...tool(k.name), staleTime: 60_000 })),
    combine: (all) => all.map((q) => q.data?.config),
  });
  const titles = useMemo(() => new Map(agents.map((a) => [a.name, a.display_name || a.name])), [agents]);
  const known = knownPaths(draft, actionsIn(configs), parsedSample(sample));
  const add = (agent: string) => {
    const after = choice && 'node' in choice ? draft.nodes[choice.node] : undefined;
    const right = Math.max(0, ...draft.nodes.map((n) => (n.position?.x ?? 0) + 350));
    const at = after?.position
      ? { x: (after.position.x ?? 0) + 350, y: after.position.y ?? 0 }
      : { x: draft.nodes.length ? right : 0, y: 0 };
    onChange(withNode(draft, agent, at, after?.id));
    setChoice({ node: draft.nodes.length });
  };
  const goTo = (f: Fault) =>
    setChoice(
      f.node !== undefined ? { node: f.node } : f.connection !== undefined ? { connection: f.connection } : undefined,
    );
  return (
    <div className="flow-page">
      <div className="flow-side">
        {!readOnly && (
          <>
            <Text component="h2" fw={600}>
              {t.agents}
            </Text>
            <Text size="xs" c="dimmed" mb={8}>
              {agents.length > 0 ? t.agentsHint : t.noAgents}
            </Text>
            <div className="flow-agents">
              {agents.map((a) => (
                <button
                  key={a.name}
                  type="button"
                  draggable
                  aria-label={t.add(a.display_name || a.name)}
                  onClick={() => add(a.name)}
                  onDragStart={(e) => {
                    e.dataTransfer.setData(dragged, a.name);
                    e.dataTransfer.effectAllowed = 'copy';
                  }}
                >
                  <Bot size={15} aria-hidden style={{ flex: 'none' }} />
                  <span className="one-line">{a.display_name || a.name}</span>
                </button>
              ))}
            </div>
          </>
        )}
      </div>
      <div style={{ minWidth: 0 }}>
        <ReactFlowProvider>
          <Canvas
            draft={draft}
            faults={faults}
            titles={titles}
            live={live}
            choice={choice}
            readOnly={readOnly}
            onChoose={setChoice}
            onChange={onChange}
          />
        </ReactFlowProvider>
        <Group justify="space-between" mt={8} align="flex-start" wrap="nowrap">
          <div role="status" aria-live="polite" style={{ minWidth: 0 }}>
            {faults.length === 0 && draft.nodes.length > 0 && (
              <Text size="sm" c="dimmed" style={{ display: 'flex', gap: 6, alignItems: 'center' }}>
                <CircleCheck size={15} aria-hidden /> {t.sound}
              </Text>
            )}
            {faults.length > 0 && (
              <Text size="sm" fw={550}>
                {t.faults(faults.length)}
              </Text>
            )}
            {faults.map((f, i) => (
              <UnstyledButton
                key={`${f.field}${f.message}${i}`}
                onClick={() => goTo(f)}
                style={{ display: 'flex', gap: 6, padding: '3px 0', fontSize: 14, color: 'var(--mantine-color-error)' }}
              >
                <CircleAlert size={15} aria-hidden style={{ flex: 'none', marginTop: 3 }} />
                <span style={{ overflowWrap: 'anywhere' }}>
                  {f.node !== undefined && draft.nodes[f.node] ? `${draft.nodes[f.node]?.id}: ` : ''}
                  {f.message}
                </span>
              </UnstyledButton>
            ))}
          </div>
          {!readOnly && (
            <Group gap={6} wrap="nowrap">
              <Tooltip label={t.undo}>
                <ActionIcon variant="default" size={32} disabled={!undo} onClick={undo} aria-label={t.undo}>
                  <Undo2 size={16} />
                </ActionIcon>
              </Tooltip>
              <Tooltip label={t.redo}>
                <ActionIcon variant="default" size={32} disabled={!redo} onClick={redo} aria-label={t.redo}>
                  <Redo2 size={16} />
                </ActionIcon>
              </Tooltip>
              <Button
                size="xs"
                h={32}
                variant="default"
                leftSection={<LayoutGrid size={15} />}
                disabled={draft.nodes.length === 0}
                onClick={() => onChange(laidOut(draft))}
              >
                {t.layout}
              </Button>
            </Group>
          )}
        </Group>
      </div>
      <div style={{ minWidth: 0 }}>
        {talk?.shown && (
          <div style={{ marginBottom: 14 }}>
            <Suspense fallback={<Loading />}>
              <Talk target={{ workflow: talk.slug }} unsaved={talk.unsaved} />
            </Suspense>
          </div>
        )}
        <div className="panel" style={{ padding: 16 }}>
          <Inspector
            draft={draft}
            choice={choice}
            faults={faults}
            agents={[...titles].map(([value, label]) => ({ value, label }))}
            known={known}
            sample={sample}
            isNew={isNew}
            readOnly={readOnly}
            onChange={onChange}
            onChoose={setChoice}
            onSample={setSample}
          />
        </div>
      </div>
    </div>
  );
}
