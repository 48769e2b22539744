import { Readable } from 'node:stream';

export interface BlobSource {
  /** null: the end. Called one at a time. */
  next(): Promise<Uint8Array | null>;
  /** Called once, whether the end was reached or not. */
  close(): Promise<void>;
}

/** What a store sends of a blob; reads on only while somebody takes it, and lets go of its source however it ends. */
export class BlobStream extends Readable {
  /** So far, whether taken or still in the stream. */
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
