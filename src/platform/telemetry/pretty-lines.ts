import type { DestinationStream } from 'pino';

const COLOURS: Readonly<Record<string, number>> = { fatal: 35, error: 31, warn: 33, info: 32, debug: 36, trace: 90 };
// The text of a request must not move the cursor or change the colours of the reader's terminal.
const CONTROL = /(?!\n)\p{Cc}/gu;

/** Returns a destination that converts JSON log lines to readable lines. */
export function prettyLines(destination: DestinationStream): DestinationStream {
  return { write: (line) => destination.write(pretty(line)) };
}

function pretty(line: string): string {
  const { time, level, message, context, err, stack, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const name = String(level);
  const clock = String(time).slice(11, 23);
  const head = `${clock} \u001b[${COLOURS[name] ?? 0}m${name.toUpperCase().padEnd(5)}\u001b[0m`;
  const parts = [
    typeof context === 'string' ? `[${context}]` : '',
    typeof message === 'string' ? message : '',
    ...Object.entries(fields).map(([key, value]) => `${key}=${worded(value)}`),
  ];
  const trace = stack ?? (typeof err === 'object' && err !== null && 'stack' in err ? err.stack : err);
  const body = parts.filter((part) => part !== '').join(' ') + (trace === undefined ? '' : `\n${worded(trace)}`);
  return `${head} ${body.replace(CONTROL, '')}\n`;
}

function worded(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
