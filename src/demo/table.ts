export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** In characters. Longer cells are cut and end in an ellipsis. */
  readonly maxWidth?: number;
}

/** Returns aligned lines below their titles. Two spaces separate columns, and no line ends with spaces. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => columns.map(({ maxWidth }, at) => cut(printable(row[at] ?? ''), maxWidth)));
  const titles = columns.map(({ title }) => title);
  const widths = columns.map((_, at) => Math.max(...[titles, ...cells].map((row) => lengthOf(row[at] ?? ''))));
  const line = (row: readonly string[]): string =>
    columns
      .map(({ align }, at) => pad(row[at] ?? '', widths[at] ?? 0, align))
      .join('  ')
      .trimEnd();
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)];
}

/** Makes untrusted text safe for a terminal: control, format and line-separating characters are replaced. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\uFFFD');
}

function cut(text: string, maxWidth: number | undefined): string {
  if (maxWidth === undefined || lengthOf(text) <= maxWidth) return text;
  return `${[...text].slice(0, maxWidth - 1).join('')}…`;
}

function pad(text: string, width: number, align: Column['align']): string {
  const space = ' '.repeat(width - lengthOf(text));
  return align === 'right' ? space + text : text + space;
}

/** Counts code points, so that a surrogate pair counts once. */
function lengthOf(text: string): number {
  return [...text].length;
}
