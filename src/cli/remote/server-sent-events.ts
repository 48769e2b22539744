import { CommandFailure } from './failure.js';

export interface Frame {
  readonly id: string | undefined;
  readonly data: string;
}

/** An event has at most 1 MiB, so a longer frame comes from another program. */
const LARGEST_FRAME = 8 * 1024 * 1024;

/** Reads the frames of an event stream. Comments and other fields are left out. */
export async function* frames(response: Response): AsyncGenerator<Frame> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/);
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const frame = frameOf(part);
      if (frame.data !== '') yield frame;
    }
    if (rest.length > LARGEST_FRAME) throw new CommandFailure('A message of the stream is too large');
  }
}

function frameOf(text: string): Frame {
  let id: string | undefined;
  const data: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ''] = /^([^:]*): ?(.*)$/s.exec(line) ?? [];
    if (name === 'id') id = value;
    if (name === 'data') data.push(value);
  }
  return { id, data: data.join('\n') };
}
