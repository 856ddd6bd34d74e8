export interface Line {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** diffLines is the shortest way from one text to another, by lines (longest common subsequence). */
export function diffLines(before: string, after: string): Line[] {
  const [a, b] = [before === '' ? [] : before.split('\n'), after === '' ? [] : after.split('\n')];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j]
          ? 1 + common[(i + 1) * width + j + 1]
          : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] });
      i++;
      j++;
    } else if (i < a.length && (j === b.length || common[(i + 1) * width + j] >= common[i * width + j + 1]))
      lines.push({ kind: 'removed', text: a[i++] });
    else lines.push({ kind: 'added', text: b[j++] });
  }
  return lines;
}
