import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import zlib, { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Release } from '../byte-budget/index.js';
import type { BodyShare } from './body-budget.js';
import { BodyTooLarge, UnsupportedMediaType } from './domain-error.js';
import { RequestTimeout, SLOW_SENDER_LIMITS, type SlowSenderLimits } from './slow-sender.js';

type Inflate = (bytes: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>;

const ENCODINGS: Readonly<Record<string, Inflate>> = {
  gzip: promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip),
  deflate: promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate),
  br: promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress),
};

/** Newer releases of Node have zstd. Only routes that accept intake formats may use it. */
const { zstdDecompress } = zlib as { readonly zstdDecompress?: typeof gunzip };
const WITH_ZSTD: typeof ENCODINGS =
  zstdDecompress === undefined
    ? ENCODINGS
    : { ...ENCODINGS, zstd: promisify<Buffer, { maxOutputLength: number }, Buffer>(zstdDecompress) };

/** The initial buffer for a body of unknown length. The buffer doubles as the body grows. */
const FIRST_BYTES = 16 * 1024;

/** The client disconnected or sent a broken body, so it cannot be answered. */
export class RequestAborted extends Error {}

/** The body cannot be decompressed as its `Content-Encoding` says. */
export class BrokenCompression extends Error {}

export interface BodyLimits {
  readonly maxBytes: number;
  /** Whether `gzip`, `deflate` and `br` are accepted. */
  readonly inflates: boolean;
  /** Whether `zstd` is accepted too, where Node has it. */
  readonly inflatesZstd?: boolean | undefined;
  readonly share: BodyShare;
  readonly slow?: SlowSenderLimits;
}

/** The bytes of a body, and the function that releases them in the budget. */
export interface HeldBytes {
  readonly bytes: Buffer;
  readonly release: Release;
}

/**
 * Reads a whole body and decompresses it. Both the compressed and the decompressed size are limited to `maxBytes`
 * (413). Decompression starts when the body is complete, so that slow senders do not occupy a decoder. A body of known
 * length first waits for its capacity in the budget. A chunked body takes capacity as it grows. An encoding other than
 * `gzip`, `deflate` or `br` is refused with 415, as is every encoding when `inflates` is false.
 * @throws BodyTooLarge, UnsupportedMediaType, RequestTimeout, ServiceOverloaded, RequestAborted, BrokenCompression
 */
export async function bodyBytes(request: IncomingMessage, limits: BodyLimits): Promise<HeldBytes> {
  const { maxBytes, inflates, share } = limits;
  const encodings = limits.inflatesZstd === true ? WITH_ZSTD : ENCODINGS;
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decode = Object.hasOwn(encodings, encoding) ? encodings[encoding] : undefined;
  if (encoding !== 'identity' && (decode === undefined || !inflates))
    throw new UnsupportedMediaType({ 'Accept-Encoding': inflates ? Object.keys(encodings).join(', ') : 'identity' });
  const sent = await new ArrivingBody(request, limits).whole();
  if (decode === undefined || sent.bytes.length === 0) return sent;
  try {
    const bytes = await share.inflate(() => decode(sent.bytes, { maxOutputLength: maxBytes }));
    return { bytes, release: share.takeNow(bytes.length) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new BodyTooLarge();
    if (code === undefined || code === 'Z_MEM_ERROR') throw error;
    throw new BrokenCompression('the body is not what its Content-Encoding says', { cause: error });
  } finally {
    sent.release();
  }
}

/**
 * Collects an arriving body in one buffer. An array of pieces would cost some hundred bytes for each piece, even for a
 * piece of one byte.
 */
class ArrivingBody {
  private room: Buffer = Buffer.alloc(0);
  private size = 0;
  private readonly releases: Release[] = [];
  /** The announced length in bytes; null for a chunked body, whose length is known at its end. */
  private readonly declared: number | null;

  constructor(
    private readonly request: IncomingMessage,
    private readonly limits: BodyLimits,
  ) {
    const { headers } = request;
    this.declared = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null;
  }

  async whole(): Promise<HeldBytes> {
    const release = (): void => {
      for (const one of this.releases.splice(0)) one();
    };
    try {
      if (this.declared !== null) this.releases.push(await this.limits.share.take(this.declared));
      const bytes = await this.read();
      return { bytes, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Reads the body. Rejects as soon as a limit is exceeded. The server then reads and drops the rest of the body. */
  private read(): Promise<Buffer> {
    const { request } = this;
    const { idleMs, bytesPerSecond } = this.limits.slow ?? SLOW_SENDER_LIMITS;
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      let lastAt = startedAt;
      let timer: NodeJS.Timeout | undefined;
      const settle = (outcome: () => void): void => {
        clearTimeout(timer);
        request.off('data', onData).off('end', onEnd).off('close', onBroken).off('error', onBroken);
        // Errors after this point are ignored, but an error without a listener would end the process.
        request.on('error', () => undefined);
        outcome();
      };
      const onData = (chunk: Buffer): void => {
        lastAt = performance.now();
        try {
          this.add(chunk);
        } catch (error) {
          const fault = error as Error;
          settle(() => reject(fault));
        }
      };
      const onEnd = (): void => settle(() => resolve(this.room.subarray(0, this.size)));
      const onBroken = (): void => settle(() => reject(new RequestAborted()));
      const watch = (): void => {
        const endsAt = Math.min(lastAt, startedAt + (this.size / bytesPerSecond) * 1_000) + idleMs;
        const left = endsAt - performance.now();
        if (left <= 0) settle(() => reject(new RequestTimeout()));
        else timer = setTimeout(watch, left).unref();
      };
      if (request.destroyed) return onBroken();
      request.on('data', onData).on('end', onEnd).on('close', onBroken).on('error', onBroken);
      watch();
    });
  }

  /** @throws BodyTooLarge, ServiceOverloaded */
  private add(chunk: Buffer): void {
    const size = this.size + chunk.length;
    if (size > this.limits.maxBytes) throw new BodyTooLarge();
    if (size === this.declared && this.size === 0) this.room = chunk;
    else {
      if (size > this.room.length) this.grow(size);
      chunk.copy(this.room, this.size);
    }
    this.size = size;
  }

  private grow(size: number): void {
    const { declared, room, limits } = this;
    const length = declared ?? Math.max(size, Math.min(limits.maxBytes, Math.max(FIRST_BYTES, 2 * room.length)));
    if (declared === null) this.releases.push(limits.share.takeNow(length - room.length));
    this.room = Buffer.allocUnsafeSlow(length);
    room.copy(this.room, 0, 0, this.size);
  }
}
