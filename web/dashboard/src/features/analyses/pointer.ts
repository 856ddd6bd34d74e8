/**
 * placeOf is where in a JSON text the value is that a path leads to, such as properties.service.oneOf, as the beginning and the end of a
 * selection; the innermost value on the way where it leads to none. Names may hold dots.
 */
export async function placeOf(text: string, path: string): Promise<[number, number] | undefined> {
  const { isMap, isPair, isScalar, isSeq, parseDocument } = await import('yaml');
  let node: unknown = parseDocument(text).contents;
  let place: [number, number] | undefined;
  const enter = (value: unknown) => {
    node = isPair(value) ? value.value : value;
    const [from, to] = [isPair(value) ? value.key : value, node].map(
      (n) => (n as { range?: [number, number, number] } | null)?.range,
    );
    if (from && to) place = [from[0], to[1]];
  };
  enter(node);
  for (let rest = path.split('.'); rest.length > 0;) {
    let used = 0;
    let found: unknown;
    if (isSeq(node)) [found, used] = [node.items[Number(rest[0])], 1];
    else if (isMap(node)) {
      for (used = 1; used <= rest.length && !found; used++) {
        const name = rest.slice(0, used).join('.');
        found = node.items.find((pair) => isScalar(pair.key) && pair.key.value === name);
      }
      used--;
    }
    if (!found) break;
    enter(found);
    rest = rest.slice(used);
  }
  return place;
}
