import { Graph, layout } from '@dagrejs/dagre';
import type { Draft } from './draft';

export const size = { width: 220, height: 76 };

/** labelLength is how many characters of a condition a connection shows. */
export const labelLength = 48;

/** labelWidth is the room that a condition takes on a connection, in pixels. */
const labelWidth = (condition?: string) => Math.min(condition?.length ?? 0, labelLength) * 6.2;

/** laidOut places the nodes from left to right, as the connections lead. */
export function laidOut(draft: Draft): Draft {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 36, ranksep: 110 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const n of draft.nodes) graph.setNode(n.id, { ...size });
  for (const c of draft.connections)
    if (graph.hasNode(c.source_id) && graph.hasNode(c.target_id))
      graph.setEdge(c.source_id, c.target_id, { width: labelWidth(c.condition), height: 28, labelpos: 'c' });
  layout(graph);
  return {
    ...draft,
    nodes: draft.nodes.map((n) => {
      const at = graph.node(n.id);
      return at
        ? { ...n, position: { x: Math.round(at.x - size.width / 2), y: Math.round(at.y - size.height / 2) } }
        : n;
    }),
  };
}

/** hasPlaces reports whether all nodes have a position. */
export const hasPlaces = (draft: Draft) => draft.nodes.every((n) => n.position);
