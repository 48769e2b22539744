import { isRefusal } from '@operational-events/client';

/** What is wrong with a query, and where. */
export interface Fault {
  readonly sentence: string;
  readonly hint: string | null;
  /** In its text, in units of JavaScript. */
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly column: number;
  /** What would be understood instead; undefined where the service knows none. */
  readonly better: string | undefined;
}

/** Undefined: the query was not refused for what it says. */
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
    // At the end there is nothing to mark but the last character.
    to: from + [...query.slice(from)].slice(0, length ?? 0).join('').length,
    line,
    column,
    better: /^did you mean (\S+)\?$/.exec(hint ?? '')?.[1],
  };
}

/** The service counts characters, JavaScript units of UTF-16. */
function placeOf(query: string, line: number, column: number): number {
  const lines = query.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  return before + [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length;
}
