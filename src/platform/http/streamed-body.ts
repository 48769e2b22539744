import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestAborted } from './body-bytes.js';
import type { BodyShare } from './body-budget.js';
import { BodyTooLarge, UnsupportedMediaType } from './domain-error.js';
import { RequestTimeout, SLOW_SENDER_LIMITS } from './slow-sender.js';
import { slotOf } from './stranger-slot.js';

export { RequestTimeout, SLOW_SENDER_LIMITS } from './slow-sender.js';

/**
 * The memory that is counted for a streamed body: one chunk, and the bytes that the operating system has received and
 * the service has not read.
 */
const BYTES_ON_THE_WAY = 128 * 1024;

const STREAMED = new WeakSet<IncomingMessage>();

/**
 * Returns whether the body is read piece by piece under its own limits. The server's timeout for a whole request then
 * does not apply.
 */
export function isStreamed(request: IncomingMessage): boolean {
  return STREAMED.has(request);
}

/**
 * A body that is read while it arrives. The client is not asked to send the body before the first piece is read. When a
 * request is refused before that, only the bytes in the buffers of the two operating systems have been transferred.
 */
export class StreamedBody {
  /** The announced length in bytes; null for a chunked body, whose length is known at its end. */
  readonly declared: number | null;
  /** The milliseconds spent waiting for the sender. The time in which the consumer processes pieces is not counted. */
  private waited = 0;
  private received = 0;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly limits = SLOW_SENDER_LIMITS,
    private readonly share?: BodyShare,
  ) {
    const { headers } = request;
    STREAMED.add(request);
    const isChunked = headers['transfer-encoding'] !== undefined;
    this.declared = isChunked ? null : Number(headers['content-length'] ?? 0);
  }

  /**
   * Returns the pieces as they arrive. Nothing is read ahead of the consumer. The iteration throws BodyTooLarge as soon
   * as more than `maxBytes` have arrived, RequestTimeout when they arrive too slowly, RequestAborted when the sender
   * disconnects, and ServiceOverloaded when too many bodies are in flight.
   * @throws BodyTooLarge when the announced length is too large, UnsupportedMediaType for an encoded body
   */
  pieces(maxBytes: number): AsyncGenerator<Buffer, void> {
    const encoding = (this.request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
    if (encoding !== 'identity') throw new UnsupportedMediaType({ 'Accept-Encoding': 'identity' });
    if ((this.declared ?? 0) > maxBytes) throw new BodyTooLarge();
    return this.read(maxBytes);
  }

  private async *read(maxBytes: number): AsyncGenerator<Buffer, void> {
    const { request, response } = this;
    slotOf(request)?.leave();
    const release = await this.share?.take(BYTES_ON_THE_WAY);
    // Releases the bytes when the response closes, because a reader may stop without ending the iteration.
    response.once('close', () => release?.());
    if (response.destroyed) release?.();
    try {
      yield* this.arriving(maxBytes);
    } finally {
      release?.();
    }
  }

  private async *arriving(maxBytes: number): AsyncGenerator<Buffer, void> {
    const { request } = this;
    if (request.headers.expect !== undefined && !this.response.headersSent) this.response.writeContinue();
    const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
    try {
      for (;;) {
        const next = await this.inTime(chunks.next());
        if (next.done === true) break;
        this.received += next.value.length;
        if (this.received > maxBytes) throw new BodyTooLarge();
        yield next.value;
      }
      if (!request.complete) throw new RequestAborted();
    } finally {
      if (!request.complete) this.leaveRest();
    }
  }

  /**
   * Drops the rest of the body after the answer. If the iterator's listener stayed attached, Node would keep the bytes
   * in memory.
   */
  private leaveRest(): void {
    const { request } = this;
    request.removeAllListeners('readable').on('error', () => undefined);
    this.response.once('finish', () => request.resume());
  }

  private async inTime<T>(piece: Promise<T>): Promise<T> {
    const { idleMs, bytesPerSecond } = this.limits;
    const askedAt = performance.now();
    const left = idleMs + (this.received / bytesPerSecond) * 1_000 - this.waited;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new RequestTimeout()), Math.max(0, Math.min(idleMs, left))).unref();
    });
    try {
      return await Promise.race([piece.catch(broken), late]);
    } finally {
      clearTimeout(timer);
      this.waited += performance.now() - askedAt;
    }
  }
}

function broken(cause: unknown): never {
  throw new RequestAborted('the sender went away', { cause });
}
