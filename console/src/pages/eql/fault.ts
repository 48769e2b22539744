import { isRefusal } from '@operational-events/client';

/** The fault of a query, and its position. */
export interface Fault {
  readonly sentence: string;
  readonly hint: string | null;
  /** Index in the query's text, in UTF-16 code units. */
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly column: number;
  /** The correction that the service suggests. Undefined when there is none. */
  readonly better: string | undefined;
}

/** Returns undefined when the query itself was not refused. */
export function faultOf(error: unknown, query: string): Fault | undefined {
  if (!isRefusal(error, 'runEqlQuery') || error.status !== 422) return undefined;
  const row = error.rows.find(({ loc }) => loc.at(-1) === 'query');
  const { line, column, length, hint } = row?.ctx ?? {};
  if (row === undefined || line === undefined || column === undefined) return undefined;
  const from = placeOf(query, line, column);
  return {
    sentence: row.msg.replace(/^Value error, (line \d+, column \d+: )?/, ''),
    hint: hint ?? null,
    from,
    // The length is 0 for a fault at the end of the text.
    to: from + [...query.slice(from)].slice(0, length ?? 0).join('').length,
    line,
    column,
    better: /^did you mean (\S+)\?$/.exec(hint ?? '')?.[1],
  };
}

/** Converts a position of the service, which counts characters, to UTF-16 code units. */
function placeOf(query: string, line: number, column: number): number {
  const lines = query.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  return before + [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length;
}
