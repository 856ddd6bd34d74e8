/** Point is a place on the canvas, in pixels. */
export interface Point {
  x: number;
  y: number;
}

/** Box is the place of a node. */
export interface Box extends Point {
  width: number;
  height: number;
}

interface Curve {
  path: string;
  points: Point[];
}

/** The distance from nodes of a connection that leads around them, and the least one of any connection. */
const [clearance, least] = [26, 6];

/** curve joins points, each of which it reaches and leaves horizontally. */
function curve(stops: Point[]): Curve {
  let path = `M${stops[0].x},${stops[0].y}`;
  const points: Point[] = [];
  for (let i = 1; i < stops.length; i++) {
    const [a, b] = [stops[i - 1], stops[i]];
    const bend = Math.max(Math.abs(b.x - a.x) / 2, b.x < a.x ? 80 : 0);
    const [p, q] = [
      { x: a.x + bend, y: a.y },
      { x: b.x - bend, y: b.y },
    ];
    path += ` C${p.x},${p.y} ${q.x},${q.y} ${b.x},${b.y}`;
    for (let n = 0; n <= 32; n++) {
      const [t, u] = [n / 32, 1 - n / 32];
      const at = (k: 'x' | 'y') => u ** 3 * a[k] + 3 * u * u * t * p[k] + 3 * u * t * t * q[k] + t ** 3 * b[k];
      points.push({ x: at('x'), y: at('y') });
    }
  }
  return { path, points };
}

/** behind returns the boxes that a curve would pass behind. */
const behind = ({ points }: Curve, boxes: Box[]) =>
  boxes.filter((b) =>
    points.some(
      (p) => p.x > b.x - least && p.x < b.x + b.width + least && p.y > b.y - least && p.y < b.y + b.height + least,
    ),
  );

/** detour is the curve that passes all nodes above, or all below; undefined if there is none that is free. */
function detour(from: Point, to: Point, boxes: Box[], blocked: Box[], above: boolean): Curve | undefined {
  const around = new Set(blocked);
  for (let before = 0; around.size > before;) {
    before = around.size;
    const all = [...around];
    const y = above
      ? Math.min(...all.map((b) => b.y)) - clearance
      : Math.max(...all.map((b) => b.y + b.height)) + clearance;
    const way = curve([
      from,
      { x: Math.min(...all.map((b) => b.x)) - clearance, y },
      { x: Math.max(...all.map((b) => b.x + b.width)) + clearance, y },
      to,
    ]);
    const met = behind(way, boxes);
    if (met.length === 0) return way;
    for (const b of met) around.add(b);
  }
  return undefined;
}

/** length is that of a curve, in pixels. */
const length = ({ points }: Curve) =>
  points.slice(1).reduce((sum, p, i) => sum + Math.hypot(p.x - points[i].x, p.y - points[i].y), 0);

/**
 * routed is the path of a connection, and its middle: straight on, or, where that would pass behind nodes, the shorter way
 * around them. boxes are the nodes that it does not connect.
 */
export function routed(from: Point, to: Point, boxes: Box[]): { path: string; middle: Point } {
  let way = curve([from, to]);
  const blocked = behind(way, boxes);
  if (blocked.length > 0) {
    const ways = [true, false].flatMap((above) => detour(from, to, boxes, blocked, above) ?? []);
    way = ways.sort((a, b) => length(a) - length(b))[0] ?? way;
  }
  return { path: way.path, middle: way.points[Math.floor(way.points.length / 2)] };
}
