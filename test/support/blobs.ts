import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { newId } from '../../src/platform/ids/index.js';
import type { ObjectStore, PartPlace, WrittenPart } from '../../src/platform/storage/index.js';

/** The smallest size that S3 accepts for a part other than the last. */
export const PART = 5 * 1_024 * 1_024;

/** Returns bytes that encode their position and their seed. */
export function bytesOf(size: number, seed = 0): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  const line = createHash('sha512').update(`${seed}`).digest();
  for (let at = 0; at < size; at += line.length) {
    line.copy(bytes, at);
    if (at + 4 <= size) bytes.writeUInt32BE(at, at);
  }
  return bytes;
}

/** Yields the bytes in chunks, as a connection delivers them. */
export async function* chunked(bytes: Uint8Array, chunk = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
}

/** Yields the bytes, and then throws an error in place of the end. */
export async function* broken(bytes: Uint8Array, error: Error, chunk = 65_536): AsyncGenerator<Uint8Array> {
  yield* chunked(bytes, chunk);
  throw error;
}

/** Returns content that stops in the middle until `go` is called. */
export function halting(bytes: Uint8Array): {
  readonly content: AsyncGenerator<Uint8Array>;
  /** Resolves when the first half was read. */
  readonly halted: Promise<void>;
  go(): void;
} {
  let halt!: () => void;
  let go!: () => void;
  const halted = new Promise<void>((resolve) => (halt = resolve));
  const going = new Promise<void>((resolve) => (go = resolve));
  const half = Math.ceil(bytes.length / 2);
  async function* content(): AsyncGenerator<Uint8Array> {
    yield* chunked(bytes.subarray(0, half));
    halt();
    await going;
    yield* chunked(bytes.subarray(half));
  }
  return { content: content(), halted, go };
}

export const calm = (): AbortSignal => new AbortController().signal;

export async function contentOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Returns every id of which the store has data. */
export async function blobIds(store: ObjectStore): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const batch of store.blobs(calm())) for (const id of batch) ids.add(id);
  return ids;
}

/** A multipart upload to a store. */
export class PartsOf {
  readonly blobId = newId();
  token = '';

  constructor(
    readonly store: ObjectStore,
    readonly sizes: readonly number[],
  ) {}

  get size(): number {
    return this.sizes.reduce((sum, size) => sum + size, 0);
  }

  async begin(): Promise<this> {
    this.token = await this.store.beginParts(this.blobId, this.size, calm());
    return this;
  }

  place(number: number, slot = 0): PartPlace {
    const before = this.sizes.slice(0, number - 1).reduce((sum, size) => sum + size, 0);
    return { number, offset: before, size: this.sizes[number - 1]!, slot };
  }

  async put(number: number, slot: number, bytes: Uint8Array): Promise<WrittenPart> {
    const place = this.place(number, slot);
    return { ...place, token: await this.store.putPart(this.blobId, this.token, place, chunked(bytes), calm()) };
  }

  complete(parts: readonly WrittenPart[], disturbed = false): Promise<void> {
    return this.store.completeParts(this.blobId, this.token, parts, { size: this.size, disturbed }, calm());
  }

  async content(): Promise<Buffer> {
    return contentOf(await this.store.open(this.blobId, null, calm()));
  }
}
