import { type FileHandle, open, rm } from 'node:fs/promises';
import { chunksOf } from './abortable.js';
import { StoreUnavailable } from './object-store.js';
import { errorCode } from '../errors/index.js';

/** Arriving chunks are collected until they have at least this many bytes, and then written. */
const WRITE_BYTES = 256 * 1_024;
/** The maximum number of small chunks that are collected before they are joined. A sender may send single bytes. */
const MOST_CHUNKS = 256;
const COPY_BYTES = 1_024 * 1_024;

/**
 * Settles like the call. Rejects with StoreUnavailable for every error of the disk (such as full, read-only, broken,
 * too many open files).
 */
export async function onDisk<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof StoreUnavailable ? error : new StoreUnavailable(error);
  }
}

/** Settles like the call, or with `instead` when the path does not exist. */
export async function orIfMissing<T, U>(call: Promise<T>, instead: U): Promise<T | U> {
  try {
    return await call;
  } catch (error) {
    if (isMissing(error)) return instead;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT' || (error instanceof StoreUnavailable && errorCode(error.cause) === 'ENOENT');
}

/** Removes a path if it exists, even while a file is written into it. @throws StoreUnavailable */
export async function removeAll(path: string): Promise<void> {
  await onDisk(rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 10 }));
}

/** Opens a file, calls `use` with it, and always closes it. @throws StoreUnavailable, and what `use` throws */
export async function withFile<T>(
  path: string,
  flags: 'r' | 'r+' | 'wx',
  use: (file: FileHandle) => Promise<T>,
): Promise<T> {
  return closing(await onDisk(open(path, flags, 0o600)), use);
}

/** As {@link withFile}, for a file that is open already. */
export async function closing<T>(file: FileHandle, use: (file: FileHandle) => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await use(file);
  } catch (error) {
    // The error of `use` is more useful than an error of closing the file.
    await file.close().catch(() => undefined);
    throw error;
  }
  await onDisk(file.close());
  return result;
}

/** Syncs a folder, so that created, renamed and removed entries survive a power loss. @throws StoreUnavailable */
export async function syncFolder(path: string): Promise<void> {
  await withFile(path, 'r', (folder) => onDisk(folder.sync()));
}

/**
 * Writes content into a file, starting at a position, and syncs the file unless `durable` is false. Each write runs
 * while the next chunks arrive.
 * @param place `size` is the required size of the content, or null for any size
 * @throws StoreUnavailable for errors of the disk, and what the content or the signal throws
 */
export async function writeContent(
  file: FileHandle,
  content: AsyncIterable<Uint8Array>,
  { position, size, durable = true }: { position: number; size: number | null; durable?: boolean },
  signal: AbortSignal,
): Promise<void> {
  let writing: Promise<void> = Promise.resolve();
  let gathered: Uint8Array[] = [];
  let waiting = 0;
  let received = 0;
  const write = async (): Promise<void> => {
    const [chunks, at] = [gathered, position + received - waiting];
    [gathered, waiting] = [[], 0];
    await writing;
    writing = onDisk(writeChunks(file, chunks, at));
    // Prevents an unhandled rejection. The error is thrown before the next write or at the end.
    writing.catch(() => undefined);
  };
  try {
    for await (const chunk of chunksOf(content, signal)) {
      received += chunk.length;
      // The bytes after this position belong to another part.
      if (size !== null && received > size) throw new RangeError('Content is longer than was said');
      gathered.push(chunk);
      waiting += chunk.length;
      if (waiting >= WRITE_BYTES) await write();
      else if (gathered.length >= MOST_CHUNKS) gathered = [Buffer.concat(gathered)];
    }
    if (size !== null && received < size) throw new RangeError('Content is shorter than was said');
    if (waiting > 0) await write();
  } finally {
    await writing.catch(() => undefined);
  }
  await writing;
  if (durable) await onDisk(file.sync());
}

/** @returns whether all `size` bytes existed and were copied */
export async function copyRange(
  from: { readonly file: FileHandle; readonly position: number },
  to: { readonly file: FileHandle; readonly position: number },
  size: number,
  signal: AbortSignal,
): Promise<boolean> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(size, COPY_BYTES));
  for (let copied = 0; copied < size;) {
    signal.throwIfAborted();
    const wanted = Math.min(buffer.length, size - copied);
    const { bytesRead } = await onDisk(from.file.read(buffer, 0, wanted, from.position + copied));
    if (bytesRead === 0) return false;
    await onDisk(writeChunks(to.file, [buffer.subarray(0, bytesRead)], to.position + copied));
    copied += bytesRead;
  }
  return true;
}

/** Writes all chunks. A disk that is nearly full may write only a part, and then fails in the next call. */
async function writeChunks(file: FileHandle, chunks: readonly Uint8Array[], position: number): Promise<void> {
  let left = [...chunks];
  for (let at = position; left.length > 0;) {
    const { bytesWritten } = await file.writev(left, at);
    if (bytesWritten === 0) throw new Error('The disk took nothing');
    at += bytesWritten;
    left = behind(left, bytesWritten);
  }
}

function behind(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = bytes;
  for (const [index, chunk] of chunks.entries()) {
    if (skipped < chunk.length) return [chunk.subarray(skipped), ...chunks.slice(index + 1)];
    skipped -= chunk.length;
  }
  return [];
}
