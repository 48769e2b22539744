import { Readable } from 'node:stream';

export interface BlobSource {
  /** Returns the next chunk, or null at the end. Never called while an earlier call is pending. */
  next(): Promise<Uint8Array | null>;
  /** Called exactly once, at the end or when the stream is closed early. */
  close(): Promise<void>;
}

/**
 * The content of a blob. It is read only as fast as the consumer takes it. The source is always closed when the stream
 * ends.
 */
export class BlobStream extends Readable {
  /** The bytes read so far, including those still in the stream's buffer. */
  bytesRead = 0;
  private readonly abort = (): void => void this.destroy(this.signal.reason as Error);

  constructor(
    private readonly source: BlobSource,
    private readonly signal: AbortSignal,
  ) {
    super({ highWaterMark: 64 * 1_024 });
    signal.addEventListener('abort', this.abort, { once: true });
    if (signal.aborted) this.abort();
  }

  override _read(): void {
    this.source.next().then(
      (chunk) => {
        this.bytesRead += chunk?.length ?? 0;
        this.push(chunk);
      },
      (error: unknown) => this.destroy(error as Error),
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.signal.removeEventListener('abort', this.abort);
    this.source.close().then(
      () => done(error),
      (closing: unknown) => done(error ?? (closing as Error)),
    );
  }
}
