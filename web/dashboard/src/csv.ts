type Cell = string | number | null | undefined;

/**
 * What a spreadsheet runs as a formula: a cell that begins with one of these signs, which have wide forms, too, behind any spaces and
 * quotation marks. Spreadsheets of many languages take a semicolon or a tab for the separator and do not know our quotation marks: a
 * cell begins behind these, too.
 */
const formula = /(^|[;\t\r\n])([\s"']*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** csv writes rows as RFC 4180 has it. In texts, an apostrophe stands before what would be a formula. */
export function csv(rows: Cell[][]): string {
  const cell = (value: Cell) => {
    const text = typeof value === 'string' ? value.replace(formula, "$1$2'") : String(value ?? '');
    return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
