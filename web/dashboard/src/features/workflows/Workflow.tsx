import { Alert, Badge, Button, Group, JsonInput, Menu, Modal, SegmentedControl, Text } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ArrowLeft, AudioLines, Ellipsis } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api, Problem, result } from '../../api/client';
import type { components } from '../../generated/schema';
import { activeCalls } from '../calls/api';
import { agents } from '../agents/api';
import { may, me } from '../../api/me';
import { workflow, workflows } from './api';
import { useLiveCalls } from '../../api/stream';
import { Page } from '../../ui/Page';
import { Loading, message, Trouble } from '../../ui/Trouble';
import { Guard } from '../../ui/resource/Guard';
import { workflowTexts } from './texts';
import { texts } from '../../ui/texts';
import { configOf, type Draft, draftOf, emptyDraft, partsOf } from './draft';
import { Editor } from './Editor';
import { begin, change, redo, undo } from './history';
import { hasPlaces, laidOut } from './layout';
import { type Fault, faults as faultsOf, placed } from './rules';

const t = workflowTexts;

type Saved = components['schemas']['WorkflowBody'];

export function NewWorkflow() {
  return <WorkflowPage key="new" draft={emptyDraft} />;
}

export function EditWorkflow() {
  const { slug } = useParams({ from: '/shell/workflows/$slug' });
  const found = useQuery(workflow(slug));
  if (found.error && !found.data) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <Loading />;
  return <WorkflowPage key={slug} draft={draftOf(found.data)} saved={found.data} />;
}

const same = (a: Draft, b: Draft) => JSON.stringify(a) === JSON.stringify(b);

function WorkflowPage({ draft: first, saved }: { draft: Draft; saved?: Saved }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const scopes = useQuery(me).data?.scopes;
  const writes = may(scopes, 'workflows:write');
  const seesCalls = may(scopes, 'calls:read');
  // A workflow that was made by the API may have no positions: its layout is no change of the user's.
  const [base, setBase] = useState(() => (hasPlaces(first) ? first : laidOut(first)));
  const [history, setHistory] = useState(() => begin(base));
  const [refused, setRefused] = useState<Fault[]>([]);
  const [warnings, setWarnings] = useState<string[]>([]);
  const [view, setView] = useState<'canvas' | 'json'>('canvas');
  const [json, setJSON] = useState<string>();
  const [talking, setTalking] = useState(false);
  const [asking, ask] = useDisclosure();
  const draft = history.present;
  const list = useQuery({ ...agents, enabled: may(scopes, 'agents:read') }).data;
  useLiveCalls(seesCalls);
  const active = useQuery({ ...activeCalls, enabled: seesCalls && saved !== undefined }).data;
  const live = useMemo(() => {
    const found = new Map<string, number>();
    for (const c of active ?? [])
      if (saved && c.workflow_slug === saved.slug && c.current_agent)
        found.set(c.current_agent, (found.get(c.current_agent) ?? 0) + 1);
    return found;
  }, [active, saved]);
  const names = useMemo(() => list?.map((a) => a.name), [list]);
  const found = useMemo(() => {
    const own = draft.nodes.length > 0 ? faultsOf(draft, names) : [];
    return [...own, ...refused.filter((r) => !own.some((o) => o.node === r.node || r.field === 'config.connections'))];
  }, [draft, names, refused]);
  const dirty = writes && (!same(draft, base) || json !== undefined);

  const edit = (next: Draft, tag?: string) => {
    setRefused([]);
    setHistory((h) => change(h, next, tag));
  };
  const step = (go: typeof undo<Draft>) => {
    setRefused([]);
    setHistory(go);
  };
  useHotkeys([
    ['mod+Z', () => step(undo)],
    ['mod+shift+Z', () => step(redo)],
    ['mod+Y', () => step(redo)],
  ]);
  let typed: Draft | undefined = draft;
  if (json !== undefined) {
    try {
      const config: unknown = JSON.parse(json);
      typed =
        config !== null && typeof config === 'object' && !Array.isArray(config)
          ? { ...draft, ...partsOf(config) }
          : undefined;
    } catch {
      typed = undefined;
    }
  }
  const switchTo = (to: string) => {
    if (!typed) return;
    if (json !== undefined) edit(hasPlaces(typed) ? typed : laidOut(typed));
    setJSON(undefined);
    setView(to as 'canvas' | 'json');
  };

  const save = useMutation({
    mutationFn: async (d: Draft) => {
      const body = { name: d.name, description: d.description || null, config: configOf(d) };
      if (!saved) return { d, kept: await result(api.POST('/api/v1/workflows', { body: { ...body, slug: d.slug } })) };
      const change = {
        ...body,
        config: { ...body.config, shared_context: d.shared, analyses: d.analyses, call_hook: d.hook ?? null },
      };
      return {
        d,
        kept: await result(
          api.PUT('/api/v1/workflows/{slug}', { params: { path: { slug: saved.slug } }, body: change }),
        ),
      };
    },
    onSuccess: ({ d, kept }) => {
      queries.setQueryData(workflow(kept.slug).queryKey, kept);
      void queries.invalidateQueries({ queryKey: workflows.queryKey });
      setBase(d);
      if (json !== undefined) setHistory((h) => change(h, d));
      setJSON(undefined);
      setRefused([]);
      setWarnings((kept.warnings ?? []) as string[]);
      notifications.show({ message: t.saved, color: 'teal' });
      if (!saved) void navigate({ to: '/workflows/$slug', params: { slug: kept.slug }, ignoreBlocker: true });
    },
    onError: (error) => {
      if (!(error instanceof Problem)) return;
      setRefused(error.code === 'conflict' ? [{ field: 'slug', message: error.message }] : placed(error.details));
      if (typed && json !== undefined) switchTo('canvas');
    },
  });
  const act = useMutation({
    mutationFn: (what: 'activate' | 'deactivate' | 'delete') => {
      const path = { params: { path: { slug: saved?.slug ?? '' } } };
      if (what === 'delete') return result(api.DELETE('/api/v1/workflows/{slug}', path));
      return result(
        what === 'activate'
          ? api.POST('/api/v1/workflows/{slug}/activate', path)
          : api.POST('/api/v1/workflows/{slug}/deactivate', path),
      );
    },
    onSuccess: (_, what) => {
      void queries.invalidateQueries({ queryKey: workflows.queryKey });
      if (what !== 'delete') return void queries.invalidateQueries({ queryKey: ['workflow', saved?.slug] });
      notifications.show({ message: t.deleted });
      void navigate({ to: '/workflows', ignoreBlocker: true });
    },
    onError: (error) => notifications.show({ message: message(error), color: 'red' }),
  });

  const deletes = may(scopes, 'workflows:delete');
  const unplaced =
    save.error &&
    (!(save.error instanceof Problem) || (save.error.details.length === 0 && save.error.code !== 'conflict'));
  return (
    <>
      <Link to="/workflows" className="back">
        <ArrowLeft size={15} aria-hidden /> {t.back}
      </Link>
      <Page
        title={saved ? draft.name || saved.slug : draft.name || t.newTitle}
        lead={
          saved && (
            <Group gap="xs">
              {saved.slug}
              {!saved.is_active && (
                <Badge size="sm" variant="default">
                  {texts.common.inactive}
                </Badge>
              )}
            </Group>
          )
        }
        actions={
          <>
            {dirty && (
              <Text size="sm" c="dimmed" role="status">
                {t.unsaved}
              </Text>
            )}
            {saved && may(scopes, 'calls:write') && (
              <Button
                variant="default"
                leftSection={<AudioLines size={16} />}
                disabled={talking}
                onClick={() => setTalking(true)}
              >
                {t.talk}
              </Button>
            )}
            {saved && (writes || deletes) && (
              <Menu position="bottom-end">
                <Menu.Target>
                  <Button variant="default" px="xs" aria-label={t.more}>
                    <Ellipsis size={16} />
                  </Button>
                </Menu.Target>
                <Menu.Dropdown>
                  {writes && (
                    <Menu.Item onClick={() => act.mutate(saved.is_active ? 'deactivate' : 'activate')}>
                      {saved.is_active ? t.deactivate : t.activate}
                    </Menu.Item>
                  )}
                  {deletes && (
                    <Menu.Item c="var(--mantine-color-error)" onClick={ask.open}>
                      {t.delete}
                    </Menu.Item>
                  )}
                </Menu.Dropdown>
              </Menu>
            )}
            {writes && (
              <Button
                onClick={() => typed && save.mutate(typed)}
                loading={save.isPending}
                disabled={!typed || (saved && !dirty)}
              >
                {saved ? t.save : t.create}
              </Button>
            )}
          </>
        }
      >
        {!writes && <Alert mb="md">{t.readOnly}</Alert>}
        {save.error && (unplaced || refused.length > 0) && (
          <Alert color="red" mb="md" role="alert">
            {unplaced ? message(save.error) : texts.resource.faults}
          </Alert>
        )}
        {warnings.length > 0 && (
          <Alert color="yellow" mb="md" title={t.warnings}>
            {warnings.map((w) => (
              <Text key={w} size="sm">
                {w}
              </Text>
            ))}
          </Alert>
        )}
        <SegmentedControl
          mb="sm"
          value={view}
          onChange={switchTo}
          aria-label={`${t.canvas} / ${t.json}`}
          data={[
            { value: 'canvas', label: t.canvas },
            { value: 'json', label: t.json },
          ]}
        />
        {view === 'json' ? (
          <JsonInput
            label={t.json}
            description={t.jsonHint}
            autosize
            minRows={20}
            maxRows={40}
            readOnly={!writes}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            value={json ?? JSON.stringify(configOf(draft), null, 2)}
            onChange={setJSON}
            error={typed ? undefined : t.jsonWrong}
            spellCheck={false}
          />
        ) : (
          <Editor
            draft={draft}
            faults={found}
            agents={list ?? []}
            live={live}
            isNew={!saved}
            readOnly={!writes}
            onChange={edit}
            undo={history.past.length > 0 ? () => step(undo) : undefined}
            redo={history.future.length > 0 ? () => step(redo) : undefined}
            talk={saved && { slug: saved.slug, unsaved: dirty, shown: talking }}
          />
        )}
      </Page>
      <Guard dirty={dirty} />
      <Modal
        opened={asking}
        onClose={ask.close}
        title={t.deleteTitle}
        centered
        closeButtonProps={{ 'aria-label': texts.common.cancel }}
      >
        <Text size="sm" mb="lg">
          {t.deleteHint}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={ask.close} data-autofocus>
            {texts.common.cancel}
          </Button>
          <Button color="red.9" loading={act.isPending} onClick={() => act.mutate('delete')}>
            {t.delete}
          </Button>
        </Group>
      </Modal>
    </>
  );
}
