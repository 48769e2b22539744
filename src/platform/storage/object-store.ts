import type { BlobStream } from './blob-stream.js';

/** The byte positions are inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The place to which a part of an upload is written. Each part has the slots 0 to {@link SLOTS} - 1, which are separate
 * places. A part that is sent again is written to a free slot, and never to a slot that is complete or being written.
 */
export interface PartPlace {
  /** From 1 to {@link MOST_PARTS}. */
  readonly number: number;
  /** The position of the part's first byte in the blob. */
  readonly offset: number;
  /** The size in bytes. */
  readonly size: number;
  readonly slot: number;
}

export interface WrittenPart extends PartPlace {
  /** The token that {@link ObjectStore.putPart} returned. */
  readonly token: string;
}

/** S3 numbers the parts of an upload from 1 to 10,000. Each part of the service uses ten of these numbers. */
export const SLOTS = 10;
export const MOST_PARTS = 1_000;

/**
 * Stores the bytes of blobs by id. An id is a UUID in lower case, and is used only once for one blob. The store never
 * gets a name that a client has chosen, and it does not decide who may read a blob.
 *
 * A call whose signal aborts rejects with the signal's reason. For every other failure it rejects with one of the
 * errors below, whose messages contain no text from the store.
 */
export abstract class ObjectStore {
  abstract readonly driver: 'files' | 's3';

  /**
   * Resolves when the blob is durable. The caller limits and hashes the content. When the content throws, `put` throws
   * the same error and stores nothing. If the process dies meanwhile, data may remain until {@link remove} deletes it.
   * @param size the size of the content, or null when it is not known in advance
   * @throws StoreUnavailable
   */
  abstract put(
    blobId: string,
    content: AsyncIterable<Uint8Array>,
    size: number | null,
    signal: AbortSignal,
  ): Promise<void>;

  /**
   * Returns a stream of the blob. When the blob is removed meanwhile, the stream either continues with the same bytes
   * or fails. The stream fails with StoreUnavailable, or with the signal's reason.
   * @param range a range inside the blob, or null for the whole blob
   * @throws StoreUnavailable, BlobMissing
   */
  abstract open(blobId: string, range: ByteRange | null, signal: AbortSignal): Promise<BlobStream>;

  /**
   * Removes the blob and everything that an interrupted `put` or an upload in parts has left. Idempotent.
   * @param uploadToken null when the token is not known. An upload may still exist
   * @throws StoreUnavailable
   */
  abstract remove(blobId: string, uploadToken: string | null): Promise<void>;

  /**
   * Begins an upload in parts.
   * @param size the size of the whole blob in bytes, at least 1
   * @returns the token for the other calls of this upload (S3: its UploadId; files: '')
   * @throws StoreUnavailable
   */
  abstract beginParts(blobId: string, size: number, signal: AbortSignal): Promise<string>;

  /**
   * Resolves when the part is durable. When the content throws, `putPart` throws the same error, and the slot can be
   * used again.
   * @returns the token for {@link completeParts}
   * @throws StoreUnavailable; PartsLost when the upload does not exist
   */
  abstract putPart(
    blobId: string,
    uploadToken: string,
    part: PartPlace,
    content: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<string>;

  /**
   * Creates the blob from parts that cover it without gaps. Idempotent: a repeated call, for example after a crash,
   * detects that the blob is complete.
   * @param options `disturbed` is true when a writer that has lost its right to a slot 0 may still be writing it
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
   * Removes a part that has been replaced and that will not be passed to {@link completeParts}. A store that overwrites
   * slots does nothing here. Idempotent.
   * @throws StoreUnavailable
   */
  removePart(_blobId: string, _part: Pick<WrittenPart, 'number' | 'slot' | 'token'>): Promise<void> {
    return Promise.resolve();
  }

  /** @throws StoreUnavailable when blobs cannot be written or read now */
  abstract health(): Promise<void>;

  /**
   * Returns an id of this store, or null when the store has none. All processes of a deployment must have the same
   * store, which they check with this id.
   * @throws StoreUnavailable
   */
  identity(): Promise<string | null> {
    return Promise.resolve(null);
  }

  /**
   * Yields every blob id in the store or in staging, in batches, so that blobs without a record can be counted. An id
   * may occur twice. Blobs that are put or removed meanwhile may be missing or included.
   */
  abstract blobs(signal: AbortSignal): AsyncIterable<readonly string[]>;

  /** Closes the connections. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * The store failed, for example because of a full disk, a refused connection, a timeout or a 5xx answer. `cause` may
 * only be written to the log.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';

  constructor(cause?: unknown) {
    super('The object store is unavailable', { cause });
  }
}

/** The store answered that the blob does not exist. */
export class BlobMissing extends Error {
  override readonly name = 'BlobMissing';

  constructor() {
    super('The object store has no such blob');
  }
}

/** The store answered that the upload or a part of it does not exist, or no longer exists. */
export class PartsLost extends Error {
  override readonly name = 'PartsLost';

  constructor(cause?: unknown) {
    super('The object store has lost parts of the upload', { cause });
  }
}

const BLOB_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns whether the text may be the id of a blob. A text that is not an id is never used as a path or a key. */
export function isBlobId(text: string): boolean {
  return BLOB_ID.test(text);
}
