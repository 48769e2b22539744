import { text as textFrom } from 'node:stream/consumers';
import { asPerson, projectOf, type RemoteOptions } from './connection.js';
import { EXIT, printable } from './failure.js';
import { cell, eventRow, type Row } from './rows.js';

export interface QueryOptions extends RemoteOptions {
  readonly range?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly first?: boolean;
}

interface EqlAnswer {
  readonly events: readonly Row[];
  readonly sequences: readonly { readonly join_keys: readonly unknown[]; readonly events: readonly Row[] }[];
  readonly has_more: boolean;
  readonly warnings: readonly string[];
}

const HEADINGS = ['TIME', 'SEVERITY', 'EVENT', 'SOURCE', 'MESSAGE'];

/** Runs an EQL query. The text `-` stands for the standard input. @returns the exit code */
export async function query(text: string, options: QueryOptions, environment: NodeJS.ProcessEnv): Promise<number> {
  const api = await asPerson(options, environment);
  const answer = await api.call<EqlAnswer>({
    method: 'POST',
    path: '/v1/eql',
    body: {
      project_id: await projectOf(api, options, environment),
      query: text === '-' ? await textFrom(process.stdin) : text,
      range: options.range,
      from_ts: options.from,
      to_ts: options.to,
      limit: options.limit,
      result_position: options.first ? 'head' : undefined,
    },
  });
  for (const warning of answer.warnings) process.stderr.write(`Warning: ${printable(warning)}\n`);
  process.stdout.write(options.json ? `${JSON.stringify(answer)}\n` : textOf(answer));
  if (answer.has_more) process.stderr.write('There are more results. Raise --limit or choose a shorter range.\n');
  return EXIT.done;
}

function textOf({ events, sequences }: EqlAnswer): string {
  if (events.length + sequences.length === 0) return 'No results\n';
  if (events.length > 0) return table([HEADINGS, ...events.map(eventRow)]);
  const parts = sequences.map(({ join_keys: keys, events: found }, index) => {
    const title = `${index + 1}. ${keys.map(cell).join(', ')}`.trimEnd();
    return `${printable(title)}\n${table(found.map((each) => (each.missing === true ? ['(missing)'] : eventRow(each))))}`;
  });
  return parts.join('\n');
}

/** Aligns the columns, except the last one. */
function table(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map(printable));
  const widths = HEADINGS.map((_, column) => Math.max(...clean.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ');
  return clean.map((row) => `${line(row).trimEnd()}\n`).join('');
}
