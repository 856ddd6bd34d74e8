import { describe, expect, test } from 'vitest';
import { emptyDraft } from './draft';
import { laidOut, size } from './layout';
import { type Box, type Point, routed } from './route';

/** pointsOf are places on a path of cubic curves, 64 on each. */
function pointsOf(path: string): Point[] {
  const n = [...path.matchAll(/-?\d+(\.\d+)?(e-?\d+)?/g)].map(Number);
  const points: Point[] = [];
  for (let i = 0; i + 7 < n.length; i += 6)
    for (let step = 0; step <= 64; step++) {
      const [t, u] = [step / 64, 1 - step / 64];
      const at = (k: number) =>
        u ** 3 * n[i + k] + 3 * u * u * t * n[i + k + 2] + 3 * u * t * t * n[i + k + 4] + t ** 3 * n[i + k + 6];
      points.push({ x: at(0), y: at(1) });
    }
  return points;
}

const hits = (path: string, boxes: Box[]) =>
  boxes.filter((b) => pointsOf(path).some((p) => p.x > b.x && p.x < b.x + b.width && p.y > b.y && p.y < b.y + b.height))
    .length;

describe('a connection', () => {
  const middle: Box = { x: 300, y: 0, width: 220, height: 76 };
  test('goes straight on where nothing is in its way', () =>
    expect(routed({ x: 220, y: 38 }, { x: 600, y: 38 }, [{ ...middle, y: 200 }]).path).toBe(
      'M220,38 C410,38 410,38 600,38',
    ));
  test('goes around a node, on the shorter side', () => {
    for (const y of [10, 66]) {
      const way = routed({ x: 220, y }, { x: 600, y }, [middle]);
      expect(hits(way.path, [middle])).toBe(0);
      expect(way.middle.y < 0).toBe(y === 10);
    }
  });
  test('goes around nodes that stand above each other', () => {
    const column = [0, 1, 2].map((i) => ({ ...middle, y: i * 100 - 100 }));
    expect(hits(routed({ x: 220, y: 38 }, { x: 600, y: 38 }, column).path, column)).toBe(0);
  });
});

test('no connection of an arranged workflow passes behind a node', () => {
  let [seed, detours] = [1, 0];
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  for (let round = 0; round < 40; round++) {
    const count = 3 + random(10);
    const nodes = Array.from({ length: count }, (_, i) => ({ id: `n${i}`, agent_name: 'desk' }));
    const connections = nodes.slice(1).flatMap((n, i) => {
      const from = [...new Set([random(i + 1), random(i + 1)])];
      return from.map((f) => ({ source_id: `n${f}`, target_id: n.id, condition: 'flags.x'.repeat(random(5)) }));
    });
    const draft = laidOut({ ...emptyDraft, nodes, connections });
    const boxes = draft.nodes.map((n) => ({ id: n.id, x: n.position?.x ?? 0, y: n.position?.y ?? 0, ...size }));
    for (const c of draft.connections) {
      const [a, b] = [c.source_id, c.target_id].map((id) => boxes.find((box) => box.id === id) as Box);
      const others = boxes.filter((box) => box.id !== c.source_id && box.id !== c.target_id);
      const { path } = routed(
        { x: a.x + size.width, y: a.y + size.height / 2 },
        { x: b.x, y: b.y + size.height / 2 },
        others,
      );
      if (path.split(' C').length > 2) detours++;
      expect(hits(path, others), `round ${round}: ${c.source_id} to ${c.target_id}`).toBe(0);
    }
  }
  expect(detours).toBeGreaterThan(10);
});
