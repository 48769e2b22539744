import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { BodyTooLarge, UnsupportedMediaType } from './domain-error.js';

type Inflate = (bytes: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>;

const ENCODINGS: Readonly<Record<string, Inflate>> = {
  gzip: promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip),
  deflate: promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate),
  br: promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress),
};

/** The client went away or broke the transfer; nobody is left to answer. */
export class RequestAborted extends Error {}

/** The body is not what its `Content-Encoding` says. */
export class BrokenCompression extends Error {}

/**
 * The bytes of a body, inflated. Both what comes and what it becomes are cut at `maxBytes` (413); nothing is inflated
 * before all of it is there, so that slow senders hold no decoder. 415 for an encoding that is not `gzip`, `deflate` or
 * `br`, or any where `inflates` is false.
 * @throws BodyTooLarge, UnsupportedMediaType, RequestAborted, BrokenCompression
 */
export async function bodyBytes(request: IncomingMessage, maxBytes: number, inflates: boolean): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decode = Object.hasOwn(ENCODINGS, encoding) ? ENCODINGS[encoding] : undefined;
  if (encoding !== 'identity' && (decode === undefined || !inflates))
    throw new UnsupportedMediaType({ 'Accept-Encoding': inflates ? Object.keys(ENCODINGS).join(', ') : 'identity' });
  const bytes = await allOf(request, maxBytes);
  if (decode === undefined || bytes.length === 0) return bytes;
  try {
    return await decode(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new BodyTooLarge();
    if (code === 'Z_MEM_ERROR') throw error;
    throw new BrokenCompression('the body is not what its Content-Encoding says', { cause: error });
  }
}

/** Answers at once when the limit is passed: what still comes is read and dropped by the server. */
function allOf(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (outcome: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('close', onBroken).off('error', onBroken);
      // Whoever goes away later than this is nobody's concern, but an error without a listener ends the process.
      request.on('error', () => undefined);
      outcome();
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else settle(() => reject(new BodyTooLarge()));
    };
    const onEnd = (): void => settle(() => resolve(Buffer.concat(chunks, size)));
    const onBroken = (): void => settle(() => reject(new RequestAborted()));
    if (request.destroyed) onBroken();
    else request.on('data', onData).on('end', onEnd).on('close', onBroken).on('error', onBroken);
  });
}
