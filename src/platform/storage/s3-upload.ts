import { Readable } from 'node:stream';
import { chunksOf, orAborted } from './abortable.js';
import { StoreUnavailable } from './object-store.js';

/**
 * Sends content in a request. The last chunk is sent only after the content has ended without an error. A store that
 * knows the size therefore never receives all bytes of content that fails at its end. The timer runs only while the
 * store should read or answer.
 */
export class S3Upload {
  /** Whether the store may have received everything. */
  isWhole = false;
  private readonly giveUp = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  /**
   * The error of the content or of the signal. It is wrapped, because the thrown value may be anything, even undefined.
   */
  private fault: { readonly thrown: unknown } | null = null;

  constructor(
    private readonly content: AsyncIterable<Uint8Array>,
    private readonly size: number,
    private readonly idleMs: number,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * @param request sends the body and resolves with the store's answer
   * @throws what content, signal and request throw; StoreUnavailable when the store makes no progress
   */
  async through<T>(request: (body: Readable, signal: AbortSignal) => Promise<T>): Promise<T> {
    const body = Readable.from(this.chunks(), { objectMode: false });
    // `pipe()` does not forward errors, so the request would stay open for ever.
    body.on('error', (error) => this.giveUp.abort(error));
    const abort = (): void => this.giveUp.abort(this.signal.reason);
    this.signal.addEventListener('abort', abort, { once: true });
    try {
      this.signal.throwIfAborted();
      this.expectProgress();
      const answer = await orAborted(request(body, this.giveUp.signal), this.giveUp.signal);
      if (!this.isWhole) throw new StoreUnavailable(new Error('The store answered before it had everything'));
      return answer;
    } catch (error) {
      throw this.fault === null ? error : this.fault.thrown;
    } finally {
      clearTimeout(this.timer);
      this.signal.removeEventListener('abort', abort);
      body.destroy();
      // A request that was answered too early still holds its connection. Aborting has no effect on a finished request.
      this.giveUp.abort();
    }
  }

  private async *chunks(): AsyncGenerator<Uint8Array> {
    let held: Uint8Array | null = null;
    for await (const chunk of this.received()) {
      if (held !== null) {
        this.expectProgress();
        yield held;
        clearTimeout(this.timer);
      }
      held = chunk;
    }
    this.isWhole = true;
    this.expectProgress();
    if (held !== null) yield held;
  }

  private async *received(): AsyncGenerator<Uint8Array> {
    clearTimeout(this.timer);
    try {
      let bytes = 0;
      for await (const chunk of chunksOf(this.content, this.signal)) {
        bytes += chunk.length;
        if (bytes > this.size) throw new RangeError('Content is longer than was said');
        yield chunk;
      }
      if (bytes < this.size) throw new RangeError('Content is shorter than was said');
    } catch (thrown) {
      this.fault = { thrown };
      throw thrown;
    }
  }

  private expectProgress(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.giveUp.abort(new StoreUnavailable(new Error(`The store took nothing for ${this.idleMs} ms`)));
    }, this.idleMs);
  }
}
