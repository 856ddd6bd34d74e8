import '@xyflow/react/dist/style.css';
import './canvas.css';
import { useComputedColorScheme } from '@mantine/core';
import { Background, Controls, type Edge, MarkerType, type NodeChange, ReactFlow, useReactFlow } from '@xyflow/react';
import { type DragEvent, useEffect, useMemo, useRef, useState } from 'react';
import { workflowTexts } from './texts';
import { AgentNode, type AgentNodeType } from './AgentNode';
import { RoutedEdge } from './RoutedEdge';
import { type Draft, withConnection, withNode, withoutNodes } from './draft';
import { labelLength, size } from './layout';
import type { Fault } from './rules';

const t = workflowTexts;
const nodeTypes = { agent: AgentNode };
const edgeTypes = { routed: RoutedEdge };

/** What is chosen: a node or a connection by its index, or nothing. */
export type Choice = { node: number } | { connection: number } | undefined;

interface Props {
  draft: Draft;
  faults: Fault[];
  titles: Map<string, string>;
  live: Map<string, number>;
  choice: Choice;
  readOnly: boolean;
  onChoose: (choice: Choice) => void;
  onChange: (draft: Draft, tag?: string) => void;
}

/** dragged is the type of an agent's name while it is dragged. */
export const dragged = 'application/x-parley-agent';

/** brief is a condition as it fits on a connection. */
const brief = (condition?: string) =>
  condition && condition.length > labelLength ? `${condition.slice(0, labelLength - 1)}…` : condition || undefined;

/** placeOf is where a node is drawn that has no position yet. */
const placeOf = (draft: Draft, index: number) =>
  draft.nodes[index]?.position ?? { x: (index % 4) * 350, y: Math.floor(index / 4) * 140 };

export function Canvas({ draft, faults, titles, live, choice, readOnly, onChoose, onChange }: Props) {
  const flow = useReactFlow();
  const scheme = useComputedColorScheme('light');
  const [moving, setMoving] = useState<Record<string, { x: number; y: number }>>({});
  // Nodes are told apart by their place in the list: while there is a fault, two may have the same id.
  const indexOf = (id: string) => draft.nodes.findIndex((n) => n.id === id);
  const nodes = useMemo<AgentNodeType[]>(
    () =>
      draft.nodes.map((n, i) => {
        const id = String(i);
        const at = moving[id] ?? placeOf(draft, i);
        return {
          id,
          type: 'agent',
          position: { x: at.x ?? 0, y: at.y ?? 0 },
          width: size.width,
          selected: choice !== undefined && 'node' in choice && choice.node === i,
          ariaLabel: t.nodeOf(n.id),
          data: {
            title: titles.get(n.agent_name) ?? n.agent_name,
            id: n.id,
            isEntry: n.is_entry ?? false,
            isExit: n.is_exit ?? false,
            skip: Boolean(n.skip_condition),
            faults: faults.filter((f) => f.node === i).map((f) => f.message),
            live: live.get(n.agent_name) ?? 0,
          },
        };
      }),
    [draft, moving, choice, titles, faults, live],
  );
  const edges = useMemo<Edge[]>(
    () =>
      draft.connections.flatMap((c, i) => {
        const [source, target] = [indexOf(c.source_id), indexOf(c.target_id)];
        if (source < 0 || target < 0) return [];
        const faulty = faults.some((f) => f.connection === i);
        const selected = choice !== undefined && 'connection' in choice && choice.connection === i;
        return {
          id: `c${i}`,
          type: 'routed',
          source: String(source),
          target: String(target),
          label: brief(c.condition),
          selected,
          className: faulty ? 'faulty' : undefined,
          ariaLabel: t.connectionOf(c.source_id, c.target_id),
          markerEnd: {
            type: MarkerType.ArrowClosed,
            width: 18,
            height: 18,
            color: faulty ? 'var(--mantine-color-error)' : selected ? 'var(--llm)' : 'var(--endpointing)',
          },
          labelBgPadding: [6, 3] as [number, number],
          labelBgBorderRadius: 4,
        };
      }),
    [draft, faults, choice],
  );
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const fit = () => void flow.fitView({ maxZoom: 1, padding: 0.15 });
    fit();
    const resized = new ResizeObserver(() => requestAnimationFrame(fit));
    if (box.current) resized.observe(box.current);
    return () => resized.disconnect();
  }, [flow, draft.nodes.length]);

  const changeNodes = (changes: NodeChange<AgentNodeType>[]) => {
    for (const c of changes) if (c.type === 'select' && c.selected) onChoose({ node: Number(c.id) });
    if (readOnly) return;
    const moves = changes.flatMap((c) => (c.type === 'position' && c.position ? [c] : []));
    if (moves.length > 0) {
      const places = Object.fromEntries(moves.map((c) => [c.id, c.position as { x: number; y: number }]));
      if (moves.some((c) => c.dragging)) return setMoving((now) => ({ ...now, ...places }));
      setMoving({});
      const moved = draft.nodes.map((n, i) => {
        const at = places[String(i)] ?? moving[String(i)];
        return at ? { ...n, position: { x: Math.round(at.x), y: Math.round(at.y) } } : n;
      });
      if (
        moved.some(
          (n, i) => n.position?.x !== draft.nodes[i]?.position?.x || n.position?.y !== draft.nodes[i]?.position?.y,
        )
      )
        onChange({ ...draft, nodes: moved }, 'move');
    }
  };
  const drop = (event: DragEvent) => {
    const agent = event.dataTransfer.getData(dragged);
    if (!agent || readOnly) return;
    event.preventDefault();
    const at = flow.screenToFlowPosition({ x: event.clientX - size.width / 2, y: event.clientY - size.height / 2 });
    onChange(withNode(draft, agent, at));
    onChoose({ node: draft.nodes.length });
  };
  return (
    <section
      ref={box}
      className="flow panel"
      aria-label={t.canvas}
      onDrop={drop}
      onDragOver={(e) => !readOnly && e.dataTransfer.types.includes(dragged) && e.preventDefault()}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        colorMode={scheme}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.15 }}
        minZoom={0.2}
        nodesConnectable={!readOnly}
        nodesDraggable={!readOnly}
        deleteKeyCode={readOnly ? null : ['Delete', 'Backspace']}
        onNodesChange={changeNodes}
        preventScrolling={false}
        zoomOnScroll={false}
        panOnScroll={false}
        onConnect={(c) =>
          onChange(
            withConnection(draft, draft.nodes[Number(c.source)]?.id ?? '', draft.nodes[Number(c.target)]?.id ?? ''),
          )
        }
        onEdgesChange={(changes) => {
          for (const c of changes)
            if (c.type === 'select' && c.selected) onChoose({ connection: Number(c.id.slice(1)) });
        }}
        onPaneClick={() => onChoose(undefined)}
        onDelete={({ nodes: gone, edges: cut }) => {
          const without = {
            ...draft,
            connections: draft.connections.filter((_, i) => !cut.some((e) => e.id === `c${i}`)),
          };
          onChange(
            withoutNodes(
              without,
              gone.map((n) => draft.nodes[Number(n.id)]?.id ?? ''),
            ),
          );
          onChoose(undefined);
        }}
      >
        <Background gap={20} />
        <Controls showInteractive={false} />
      </ReactFlow>
      {draft.nodes.length === 0 && <div className="flow-empty">{t.emptyCanvas}</div>}
    </section>
  );
}
