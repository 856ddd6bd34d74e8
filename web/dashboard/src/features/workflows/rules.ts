import { workflowTexts } from './texts';
import type { Draft } from './draft';

/** Fault is what is wrong, and where: at a node or a connection by its index, or with the whole. */
export interface Fault {
  message: string;
  field?: string;
  node?: number;
  connection?: number;
}

const t = workflowTexts.rules;

/** faults checks the six rules that a server holds workflows to. Agents are not checked while they are unknown. */
export function faults(draft: Draft, agents: string[] | undefined): Fault[] {
  const found: Fault[] = [];
  const { nodes, connections } = draft;
  const entries = nodes.flatMap((n, i) => (n.is_entry ? [i] : []));
  if (entries.length === 0) found.push({ message: t.noEntry });
  for (const node of entries.slice(1)) found.push({ node, message: t.entries });
  if (!nodes.some((n) => n.is_exit)) found.push({ message: t.noExit });
  const seen = new Set<string>();
  nodes.forEach((n, node) => {
    if (n.id === '') found.push({ node, message: t.noID });
    else if (seen.has(n.id)) found.push({ node, message: t.sameID(n.id) });
    seen.add(n.id);
    if (agents && !agents.includes(n.agent_name)) found.push({ node, message: t.noAgent(n.agent_name) });
  });
  connections.forEach((c, connection) => {
    for (const id of [c.source_id, c.target_id]) if (!seen.has(id)) found.push({ connection, message: t.noNode(id) });
  });
  const cycle = firstCycle(draft);
  if (cycle) {
    const node = nodes.findIndex((n) => n.id === cycle[0]);
    found.push({ node, message: t.cycle(cycle.join(' → ')) });
  }
  return found;
}

/** firstCycle is a shortest way from the first node that has one back to itself. */
export function firstCycle({ nodes, connections }: Pick<Draft, 'nodes' | 'connections'>): string[] | undefined {
  for (const { id } of nodes) {
    const before = new Map<string, string>();
    const queue = [id];
    for (let at = queue.shift(); at !== undefined && !before.has(id); at = queue.shift()) {
      for (const c of connections) {
        if (c.source_id !== at || before.has(c.target_id)) continue;
        before.set(c.target_id, at);
        queue.push(c.target_id);
      }
    }
    if (!before.has(id)) continue;
    const cycle = [id];
    for (let at = before.get(id) as string; at !== id; at = before.get(at) as string) cycle.unshift(at);
    return [id, ...cycle];
  }
  return undefined;
}

/** placed puts what a server refuses where it is: config.nodes[1].agent_name is at the second node. */
export function placed(details: { field: string; message: string }[]): Fault[] {
  return details.map(({ field, message }) => {
    const at = /^config\.(nodes|connections)\[(\d+)\]\.?(.*)$/.exec(field);
    if (!at) return { field, message };
    return { field: at[3], message, [at[1] === 'nodes' ? 'node' : 'connection']: Number(at[2]) };
  });
}
