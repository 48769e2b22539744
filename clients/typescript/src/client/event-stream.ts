import { unlessAborted } from './waiting.js';

/** Why a connection came to no end of its own. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/**
 * The data of each server-sent event, as it comes (the HTML standard; of its fields the service sends `data` alone).
 * @param idleMs silence after which the connection counts as lost, while somebody waits
 * @throws ConnectionLost, or the signal's reason
 */
export async function* dataOf(
  body: ReadableStream<Uint8Array>,
  idleMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  try {
    for (let chunk = await next(reader, idleMs, signal); chunk !== null; chunk = await next(reader, idleMs, signal)) {
      const searched = rest.length;
      rest += decoder.decode(chunk, { stream: true });
      let begin = 0;
      for (let end = rest.indexOf('\n', searched); end >= 0; end = rest.indexOf('\n', begin)) {
        const line = rest.slice(begin, end).replace(/\r$/, '');
        begin = end + 1;
        if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
        if (line !== '' || data.length === 0) continue;
        yield data.join('\n');
        data = [];
      }
      rest = rest.slice(begin);
    }
  } finally {
    // Whoever reads no more lets the connection go. One that is lost already says so again, to nobody.
    void reader.cancel().catch(() => undefined);
  }
}

/** Null: the stream has ended. */
async function next(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  idleMs: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | null> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error(`Nothing came for ${idleMs} ms`)), idleMs);
  try {
    const either = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
    const { done, value } = await unlessAborted(reader.read(), either);
    return done ? null : value;
  } catch (error) {
    signal?.throwIfAborted();
    throw new ConnectionLost('The connection of the stream was lost', { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
