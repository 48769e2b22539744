import type { Readable } from 'node:stream';
import { CommandFailure } from './failure.js';

/** One event as it is sent, with its place in the input: the line, or the position in a JSON array. */
export interface EventLine {
  readonly place: number;
  readonly text: string;
}

/** The service takes at most 1,000 lines and 5 MiB in one request. */
export const BATCH_LINES = 1_000;
const BATCH_BYTES = 4 * 1024 * 1024;
const LARGEST_ARRAY = 256 * 1024 * 1024;

/**
 * Reads events from NDJSON or from a JSON array. NDJSON is read line by line, an array as a whole. Blank lines are
 * skipped.
 * @throws {CommandFailure} if an array is not valid JSON, or if a line or an array is too large
 */
export async function* eventLines(input: Readable): AsyncGenerator<EventLine> {
  let isArray: boolean | undefined;
  let array = '';
  for await (const line of lines(input)) {
    isArray ??= line.text.trim() === '' ? undefined : line.text.trimStart().startsWith('[');
    if (isArray === true) {
      array += `${line.text}\n`;
      if (array.length > LARGEST_ARRAY) throw new CommandFailure('The array is too large: send one event per line');
    } else if (line.text.trim() !== '') yield line;
  }
  if (isArray === true) yield* elements(array);
}

function* elements(text: string): Generator<EventLine> {
  let events: unknown;
  try {
    events = JSON.parse(text);
  } catch (error) {
    throw new CommandFailure(`The array is not valid JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(events)) throw new CommandFailure('The input is neither a JSON array nor one event per line');
  for (const [index, event] of events.entries()) yield { place: index + 1, text: JSON.stringify(event) };
}

/** Splits the input at line ends. A byte order mark at the start is left out. */
async function* lines(input: Readable): AsyncGenerator<EventLine> {
  const decoder = new TextDecoder();
  /** The pieces of the line that is not complete yet. They are joined once, so that a long line costs linear time. */
  let pieces: string[] = [];
  let length = 0;
  let place = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    const [head = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    pieces.push(head);
    length += head.length;
    for (const other of others) {
      yield { place: ++place, text: pieces.join('') };
      pieces = [other];
      length = other.length;
    }
    if (length > LARGEST_ARRAY) throw new CommandFailure(`Line ${place + 1} is too long`);
  }
  const last = pieces.join('') + decoder.decode();
  if (last !== '') yield { place: place + 1, text: last };
}

/**
 * Collects lines into batches within the limits of the service. A batch is complete at most `waitMs` after its first
 * line.
 */
export async function* batchesOf(source: AsyncIterable<EventLine>, waitMs: number): AsyncGenerator<EventLine[]> {
  const iterator = source[Symbol.asyncIterator]();
  const read = (): ReturnType<typeof iterator.next> => {
    const line = iterator.next();
    // Prevents an unhandled rejection. The error is thrown when the line is awaited, which may be after the batch
    // before it was sent.
    line.catch(() => undefined);
    return line;
  };
  let next = read();
  for (;;) {
    const first = await next;
    if (first.done) return;
    next = read();
    const batch = [first.value];
    let bytes = bytesOf(first.value);
    const timer = timerOf(waitMs);
    while (batch.length < BATCH_LINES) {
      // After a failure the lines before it are still sent.
      const line = await Promise.race([next.catch(() => undefined), timer.ended]);
      if (line === undefined || line.done || bytes + bytesOf(line.value) > BATCH_BYTES) break;
      batch.push(line.value);
      bytes += bytesOf(line.value);
      next = read();
    }
    timer.clear();
    yield batch;
  }
}

function bytesOf({ text }: EventLine): number {
  return Buffer.byteLength(text) + 1;
}

function timerOf(waitMs: number): { readonly ended: Promise<undefined>; clear(): void } {
  if (waitMs === Infinity) return { ended: new Promise(() => undefined), clear: () => undefined };
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, waitMs, undefined);
  });
  return { ended, clear: () => clearTimeout(timer) };
}
