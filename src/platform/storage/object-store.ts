import type { BlobStream } from './blob-stream.js';

/** Inclusive byte positions. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Where a part of an upload is written. Every slot of a part is a place of its own (0 to {@link SLOTS} - 1): a part that is
 * sent again goes to a free slot, never over one that is complete or being written.
 */
export interface PartPlace {
  /** From 1 to {@link MOST_PARTS}. */
  readonly number: number;
  /** Of its first byte in the blob. */
  readonly offset: number;
  /** In bytes. */
  readonly size: number;
  readonly slot: number;
}

export interface WrittenPart extends PartPlace {
  /** What {@link ObjectStore.putPart} returned. */
  readonly token: string;
}

/** S3 numbers the parts of an upload up to 10,000: each of ours has ten of them. */
export const SLOTS = 10;
export const MOST_PARTS = 1_000;

/**
 * Keeps the bytes of blobs by their ids: UUIDs in lower case, each used for one blob alone, once. Nothing that a client
 * chose gets here, and who may see a blob is not decided here.
 *
 * A call whose signal is aborted rejects with the signal's reason. Whatever else fails rejects with one of the errors
 * below, whose messages hold nothing that the store said.
 */
export abstract class ObjectStore {
  abstract readonly driver: 'files' | 's3';

  /**
   * Resolves when the blob is durable. Content is bounded and hashed by the caller; what it throws, `put` throws, and
   * leaves nothing. A process that dies meanwhile may leave something, which {@link remove} finds.
   * @param size of the content; null: not known before
   * @throws StoreUnavailable
   */
  abstract put(
    blobId: string,
    content: AsyncIterable<Uint8Array>,
    size: number | null,
    signal: AbortSignal,
  ): Promise<void>;

  /**
   * Goes on with the bytes it began with when the blob is removed meanwhile, or breaks off; it never mixes. The stream
   * fails with StoreUnavailable, or with the signal's reason.
   * @param range within the blob; null: all of it
   * @throws StoreUnavailable, BlobMissing
   */
  abstract open(blobId: string, range: ByteRange | null, signal: AbortSignal): Promise<BlobStream>;

  /**
   * Removes the blob, and what a broken put, or an upload in parts of it, has left. Idempotent.
   * @param uploadToken null: none is known, there may still be one
   * @throws StoreUnavailable
   */
  abstract remove(blobId: string, uploadToken: string | null): Promise<void>;

  /**
   * @param size of the whole, in bytes, at least 1
   * @returns what the other calls of this upload take (S3: its UploadId; files: '')
   * @throws StoreUnavailable
   */
  abstract beginParts(blobId: string, size: number, signal: AbortSignal): Promise<string>;

  /**
   * Resolves when the part is durable; what its content throws, `putPart` throws, and the slot is as good as free.
   * @returns what {@link completeParts} takes
   * @throws StoreUnavailable; PartsLost when there is no such upload
   */
  abstract putPart(
    blobId: string,
    uploadToken: string,
    part: PartPlace,
    content: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<string>;

  /**
   * Makes the blob of parts that cover it without gaps. Idempotent: again after a crash it finds that it was done.
   * @param options disturbed: a slot 0 may still be being written by somebody who lost the right to
   * @throws StoreUnavailable, PartsLost
   */
  abstract completeParts(
    blobId: string,
    uploadToken: string,
    parts: readonly WrittenPart[],
    options: { size: number; disturbed: boolean },
    signal: AbortSignal,
  ): Promise<void>;

  /**
   * Another has taken the place of this part, and nobody will name it to {@link completeParts}. Stores that write over a
   * slot have nothing to do. Idempotent.
   * @throws StoreUnavailable
   */
  removePart(_blobId: string, _part: Pick<WrittenPart, 'number' | 'slot' | 'token'>): Promise<void> {
    return Promise.resolve();
  }

  /** @throws StoreUnavailable when blobs could not be put or read now */
  abstract health(): Promise<void>;

  /**
   * Tells this store from every other, for those who have to be on the same one; null where nothing does.
   * @throws StoreUnavailable
   */
  identity(): Promise<string | null> {
    return Promise.resolve(null);
  }

  /**
   * Every blob id the store holds (or staging remains of), in batches; for the count of strangers. An id may come twice,
   * and what is put or removed meanwhile may come or not.
   */
  abstract blobs(signal: AbortSignal): AsyncIterable<readonly string[]>;

  /** Lets go of connections. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A full disk, refused, timed out, 5xx. The `cause` is for the log alone. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';

  constructor(cause?: unknown) {
    super('The object store is unavailable', { cause });
  }
}

/** The store answers and has no such blob. */
export class BlobMissing extends Error {
  override readonly name = 'BlobMissing';

  constructor() {
    super('The object store has no such blob');
  }
}

/** The store answers and has not, or no longer, the upload or a part of it. */
export class PartsLost extends Error {
  override readonly name = 'PartsLost';

  constructor(cause?: unknown) {
    super('The object store has lost parts of the upload', { cause });
  }
}

const BLOB_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the text may be the id of a blob; what may not never becomes a path or a key. */
export function isBlobId(text: string): boolean {
  return BLOB_ID.test(text);
}
