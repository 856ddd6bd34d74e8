import type { components } from '../../generated/schema';
import type { CallHook } from '../../ui/resource/CallHookFields';

export type WorkflowConfig = components['schemas']['WorkflowConfig'];
export type FlowNode = NonNullable<WorkflowConfig['nodes']>[number];
export type FlowConnection = NonNullable<WorkflowConfig['connections']>[number];

/** A workflow as the editor holds it. */
export interface Draft {
  slug: string;
  name: string;
  description: string;
  nodes: FlowNode[];
  connections: FlowConnection[];
  shared: string[];
  analyses: string[];
  hook?: CallHook;
}

export const emptyDraft: Draft = {
  slug: '',
  name: '',
  description: '',
  nodes: [],
  connections: [],
  shared: [],
  analyses: [],
};

export function draftOf(w: { slug: string; name: string; description?: string | null; config: WorkflowConfig }): Draft {
  return { slug: w.slug, name: w.name, description: w.description ?? '', ...partsOf(w.config) };
}

/** partsOf reads a configuration, also one that was written by hand and lacks something. */
export function partsOf(
  config: Partial<WorkflowConfig>,
): Pick<Draft, 'nodes' | 'connections' | 'shared' | 'analyses' | 'hook'> {
  return {
    nodes: config.nodes ?? [],
    connections: config.connections ?? [],
    shared: config.shared_context ?? [],
    analyses: config.analyses ?? [],
    hook: config.call_hook ?? undefined,
  };
}

/** configOf is the configuration as the API has it. */
export function configOf(draft: Draft): WorkflowConfig {
  const nodes = draft.nodes.map((n) => ({
    ...n,
    skip_condition: n.skip_condition || undefined,
    context_mapping: n.context_mapping && Object.keys(n.context_mapping).length > 0 ? n.context_mapping : undefined,
  }));
  const connections = draft.connections.map((c) => ({
    ...c,
    condition: c.condition || undefined,
    description: c.description || undefined,
  }));
  return {
    nodes,
    connections,
    ...(draft.shared.length > 0 && { shared_context: draft.shared }),
    ...(draft.analyses.length > 0 && { analyses: draft.analyses }),
    ...(draft.hook && { call_hook: draft.hook }),
  } as WorkflowConfig;
}

/** freshID is an id that no node has, made of an agent's name. */
export function freshID(nodes: FlowNode[], agent: string): string {
  const taken = new Set(nodes.map((n) => n.id));
  for (let n = 1; ; n++) {
    const id = n === 1 ? agent : `${agent}-${n}`;
    if (!taken.has(id)) return id;
  }
}

/** withNode adds an agent. The first is entry and exit; one that is added after another is where that one leads. */
export function withNode(draft: Draft, agent: string, at: { x: number; y: number }, after?: string): Draft {
  const id = freshID(draft.nodes, agent);
  const first = draft.nodes.length === 0;
  const node = {
    id,
    agent_name: agent,
    is_entry: first,
    is_exit: first,
    position: { x: Math.round(at.x), y: Math.round(at.y) },
  } as FlowNode;
  const added = { ...draft, nodes: [...draft.nodes, node] };
  return after === undefined ? added : withConnection(added, after, id);
}

/** withConnection leads from a node to another, once. */
export function withConnection(draft: Draft, source: string, target: string): Draft {
  if (draft.connections.some((c) => c.source_id === source && c.target_id === target)) return draft;
  return { ...draft, connections: [...draft.connections, { source_id: source, target_id: target }] };
}

/** withoutNodes removes nodes and what leads to and from them. */
export function withoutNodes(draft: Draft, ids: string[]): Draft {
  return {
    ...draft,
    nodes: draft.nodes.filter((n) => !ids.includes(n.id)),
    connections: draft.connections.filter((c) => !ids.includes(c.source_id) && !ids.includes(c.target_id)),
  };
}

/** changedNode changes a node; a new id is followed by the connections, and a new entry is the only one. */
export function changedNode(draft: Draft, index: number, part: Partial<FlowNode>): Draft {
  const before = draft.nodes[index];
  if (!before) return draft;
  const renamed = part.id !== undefined && part.id !== before.id;
  const follow = (id: string) => (renamed && id === before.id ? (part.id as string) : id);
  return {
    ...draft,
    nodes: draft.nodes.map((n, i) => (i === index ? { ...n, ...part } : part.is_entry ? { ...n, is_entry: false } : n)),
    connections: renamed
      ? draft.connections.map((c) => ({ ...c, source_id: follow(c.source_id), target_id: follow(c.target_id) }))
      : draft.connections,
  };
}
