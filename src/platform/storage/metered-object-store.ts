import type { Counter } from 'prom-client';
import { within } from '../concurrency/index.js';
import { type Logger, type Metrics, LogThrottle } from '../telemetry/index.js';
import type { BlobStream } from './blob-stream.js';
import {
  BlobMissing,
  type ByteRange,
  ObjectStore,
  type PartPlace,
  PartsLost,
  StoreUnavailable,
  type WrittenPart,
} from './object-store.js';

/**
 * A store that does not answer within this time is unavailable. The limit is shorter than the time limit of a metric,
 * so that the metric has a value while the store hangs and alerts on it can fire.
 */
const ANSWER_TIMEOUT_MS = 1_500;

type Operation = 'put' | 'open' | 'remove' | 'begin' | 'part' | 'complete' | 'list';
type Outcome = 'done' | 'missing' | 'lost' | 'unavailable' | 'broken_off';

/** Counts the operations of a store, and logs the failures that the store caused. */
export class MeteredObjectStore extends ObjectStore {
  override readonly driver: ObjectStore['driver'];
  private readonly operations: Counter<'driver' | 'operation' | 'outcome'>;
  private readonly bytes: Counter<'driver' | 'direction'>;
  private readonly throttle = new LogThrottle();

  constructor(
    private readonly store: ObjectStore,
    metrics: Metrics,
    private readonly logger: Logger,
  ) {
    super();
    this.driver = store.driver;
    this.operations = metrics.counter('oes_object_store_operations_total', 'What was asked of the object store', [
      'driver',
      'operation',
      'outcome',
    ]);
    this.bytes = metrics.counter(
      'oes_object_store_bytes_total',
      'Content that went into and came out of the object store',
      ['driver', 'direction'],
    );
    metrics.gauge('oes_object_store_up', 'Whether the object store can be used', ['driver', 'store'], async (gauge) => {
      const store = await this.nameIfUp();
      gauge.reset();
      gauge.set({ driver: this.driver, store: store ?? '' }, store === null ? 0 : 1);
    });
  }

  override put(
    blobId: string,
    content: AsyncIterable<Uint8Array>,
    size: number | null,
    signal: AbortSignal,
  ): Promise<void> {
    return this.metered('put', this.store.put(blobId, this.counted(content), size, signal));
  }

  override async open(blobId: string, range: ByteRange | null, signal: AbortSignal): Promise<BlobStream> {
    let stream: BlobStream;
    try {
      stream = await this.store.open(blobId, range, signal);
    } catch (error) {
      throw this.failed('open', error);
    }
    let fault: unknown;
    stream.once('error', (error) => (fault = error));
    stream.once('close', () => {
      this.bytes.inc({ driver: this.driver, direction: 'out' }, stream.bytesRead);
      if (fault !== undefined) this.failed('open', fault);
      else this.count('open', stream.readableEnded ? 'done' : 'broken_off');
    });
    return stream;
  }

  override remove(blobId: string, uploadToken: string | null): Promise<void> {
    return this.metered('remove', this.store.remove(blobId, uploadToken));
  }

  override beginParts(blobId: string, size: number, signal: AbortSignal): Promise<string> {
    return this.metered('begin', this.store.beginParts(blobId, size, signal));
  }

  override putPart(
    blobId: string,
    uploadToken: string,
    part: PartPlace,
    content: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<string> {
    return this.metered('part', this.store.putPart(blobId, uploadToken, part, this.counted(content), signal));
  }

  override removePart(blobId: string, part: Pick<WrittenPart, 'number' | 'slot' | 'token'>): Promise<void> {
    return this.metered('remove', this.store.removePart(blobId, part));
  }

  override completeParts(
    blobId: string,
    uploadToken: string,
    parts: readonly WrittenPart[],
    options: { size: number; disturbed: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    return this.metered('complete', this.store.completeParts(blobId, uploadToken, parts, options, signal));
  }

  override health(): Promise<void> {
    return this.store.health();
  }

  override async *blobs(signal: AbortSignal): AsyncGenerator<readonly string[]> {
    try {
      yield* this.store.blobs(signal);
    } catch (error) {
      throw this.failed('list', error);
    }
    this.count('list', 'done');
  }

  override identity(): Promise<string | null> {
    return this.store.identity();
  }

  override close(): Promise<void> {
    return this.store.close();
  }

  /** @returns the store's identity, or null while the store is unavailable or does not answer in time */
  private async nameIfUp(): Promise<string | null> {
    const late = (): Error => new StoreUnavailable(new Error('The store does not answer'));
    try {
      return await within(ANSWER_TIMEOUT_MS, this.name(), late);
    } catch (error) {
      if (error instanceof StoreUnavailable) return null;
      throw error;
    }
  }

  private async name(): Promise<string> {
    await this.store.health();
    return (await this.store.identity()) ?? '';
  }

  private async *counted(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      this.bytes.inc({ driver: this.driver, direction: 'in' }, chunk.length);
      yield chunk;
    }
  }

  private async metered<T>(operation: Operation, call: Promise<T>): Promise<T> {
    let result: T;
    try {
      result = await call;
    } catch (error) {
      throw this.failed(operation, error);
    }
    this.count(operation, 'done');
    return result;
  }

  /** Counts a failure, and logs it when the store caused it. @returns the error */
  private failed(operation: Operation, error: unknown): unknown {
    this.count(operation, outcomeOf(error));
    if (error instanceof StoreUnavailable) {
      this.throttle.happened(operation, (times) =>
        this.logger.error('the object store is unavailable', { driver: this.driver, operation, times, err: error }),
      );
    }
    return error;
  }

  private count(operation: Operation, outcome: Outcome): void {
    this.operations.inc({ driver: this.driver, operation, outcome });
  }
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof StoreUnavailable) return 'unavailable';
  if (error instanceof BlobMissing) return 'missing';
  return error instanceof PartsLost ? 'lost' : 'broken_off';
}
