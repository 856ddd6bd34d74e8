/** Line is what one side says in one segment. */
export interface Line {
  segment: string;
  mine: boolean;
  /** The agent that says it. */
  agent?: string;
  text: string;
  final: boolean;
}

/** withLine puts a line in the place of the one of its segment, or after all others. A final line without text is none. */
export function withLine(lines: Line[], line: Line): Line[] {
  const rest = lines.filter((l) => l.segment !== line.segment);
  if (line.text === '') return line.final ? rest : lines;
  if (rest.length === lines.length) return [...lines, line];
  return lines.map((l) => (l.segment === line.segment ? line : l));
}

/** turnsBegun is how many turns of the caller have begun: lines of the caller without one of the agent between them are one turn. */
export const turnsBegun = (lines: Line[]) => lines.filter((line, i) => line.mine && !lines[i - 1]?.mine).length;

/** answerEnds are the numbers of the turns, from 1, that an answer followed, by the segment of the answer's last line. */
export function answerEnds(lines: Line[]): Map<string, number> {
  const last = new Map<number, string>();
  let turn = 0;
  let open = false;
  for (const line of lines) {
    if (line.mine) {
      open = true;
      continue;
    }
    if (open) turn++;
    open = false;
    if (turn > 0) last.set(turn, line.segment);
  }
  return new Map([...last].map(([number, segment]) => [segment, number]));
}
