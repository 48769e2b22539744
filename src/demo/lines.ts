import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import { DemoError, messageOf } from './demo-error.js';
import type { EventLine } from './sender.js';

export interface FaultyLine {
  readonly line: number;
  /** The reason why the line is not JSON in UTF-8. The fields of an event are not checked here. */
  readonly fault: string;
}

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Reads the lines of a file. Line numbers start at 1, blank lines are skipped, and bodies stay as written. Only a line
 * feed ends a line, because JSON text may contain other line separators. Each line is decoded separately, so that a
 * broken character affects only its own line.
 * @throws DemoError when the file cannot be read
 */
export async function* readEventLines(file: string): AsyncGenerator<EventLine | FaultyLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line = 0;
  for await (const bytes of splitLines(file)) {
    line += 1;
    const read = readLine(bytes, decoder, line === 1);
    if (read !== null) yield { line, ...read };
  }
}

/** Returns how many lines of the file are not blank. @throws DemoError when the file cannot be read */
export async function countEventLines(file: string): Promise<number> {
  let count = 0;
  const lines = readEventLines(file);
  while ((await lines.next()).done !== true) count += 1;
  return count;
}

function readLine(bytes: Buffer, decoder: TextDecoder, isFirst: boolean): { body: string } | { fault: string } | null {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { fault: 'not UTF-8' };
  }
  const body = (isFirst && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).trim();
  if (body === '') return null;
  try {
    JSON.parse(body);
  } catch (error) {
    return { fault: `not JSON: ${messageOf(error)}` };
  }
  return { body };
}

async function* splitLines(file: string): AsyncGenerator<Buffer> {
  const parts: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        yield Buffer.concat([...parts.splice(0), chunk.subarray(from, end)]);
        from = end + 1;
      }
      parts.push(chunk.subarray(from));
    }
  } catch (error) {
    throw new DemoError(`The file ${file} cannot be read: ${messageOf(error)}`);
  }
  yield Buffer.concat(parts);
}
