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
