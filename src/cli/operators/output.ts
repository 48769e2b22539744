import { once } from 'node:events';

/** How a command answers: one JSON value, or text for people. */
export interface AnswerForm {
  readonly json?: boolean;
}

type Cell = string | number | boolean | Date | null;

/** Prints a value as one line of JSON, or the lines of text. */
export async function answer({ json = false }: AnswerForm, value: object, text: readonly string[]): Promise<void> {
  await write(json ? [JSON.stringify(value)] : text);
}

/** Writes lines to standard output. Waits while its buffer is full, so that a slow reader does not fill the memory. */
export async function write(lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  if (!process.stdout.write(`${lines.join('\n')}\n`)) await once(process.stdout, 'drain');
}

/** Ends the process quietly when the reader of its output has gone, as with `| head`. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

/** Returns a table with a head, whose columns are as wide as their longest cell. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const lines = [head, ...rows.map((row) => row.map(cell))];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => [...(line[column] ?? '')].length)));
  return lines.map((line) =>
    line
      .map((text, column) => pad(text, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Returns one line for each member, with the names in one column. */
export function record(members: Readonly<Record<string, Cell>>): string[] {
  const width = Math.max(...Object.keys(members).map((name) => name.length));
  return Object.entries(members).map(([name, value]) => `${pad(name, width)}  ${cell(value)}`);
}

/** Replaces control characters, which could change what a terminal shows. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '\ufffd');
}

function cell(value: Cell): string {
  if (value === null) return '-';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value));
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length));
}
