import { type FileHandle, open, rm } from 'node:fs/promises';
import { chunksOf } from './abortable.js';
import { StoreUnavailable } from './object-store.js';

/** Chunks of a connection are put together to at least this many bytes. */
const WRITE_BYTES = 256 * 1_024;
/** Somebody who sends single bytes makes no more chunks than this wait at a time. */
const MOST_CHUNKS = 256;
const COPY_BYTES = 1_024 * 1_024;

/** What the disk refuses (full, read-only, broken, too many files) is the store's fault, whoever asked. */
export async function onDisk<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof StoreUnavailable ? error : new StoreUnavailable(error);
  }
}

/** Settles like the call, or with `instead` when the path is not there. */
export async function orIfMissing<T, U>(call: Promise<T>, instead: U): Promise<T | U> {
  try {
    return await call;
  } catch (error) {
    if (isMissing(error)) return instead;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || (error instanceof StoreUnavailable && codeOf(error.cause) === 'ENOENT');
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** Removes what may be there; another try, or another process, may have begun to fill it. @throws StoreUnavailable */
export async function removeAll(path: string): Promise<void> {
  await onDisk(rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 10 }));
}

/** Opens, hands over and closes, however that ends. @throws StoreUnavailable, and what `use` throws */
export async function withFile<T>(
  path: string,
  flags: 'r' | 'r+' | 'wx',
  use: (file: FileHandle) => Promise<T>,
): Promise<T> {
  return closing(await onDisk(open(path, flags, 0o600)), use);
}

/** {@link withFile} of one that is open. */
export async function closing<T>(file: FileHandle, use: (file: FileHandle) => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await use(file);
  } catch (error) {
    // Of two faults the first one tells more.
    await file.close().catch(() => undefined);
    throw error;
  }
  await onDisk(file.close());
  return result;
}

/** Makes what was made, renamed or removed in a folder outlast a loss of power. @throws StoreUnavailable */
export async function syncFolder(path: string): Promise<void> {
  await withFile(path, 'r', (folder) => onDisk(folder.sync()));
}

/**
 * Writes content from a position on, and makes it durable unless told otherwise. One write is under way while the next
 * chunks come.
 * @param place size: what content has to have; null: whatever it has
 * @throws StoreUnavailable for the disk, else what content or the signal throws
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
    // Looked at when the next one is to be written, or at the end.
    writing.catch(() => undefined);
  };
  try {
    for await (const chunk of chunksOf(content, signal)) {
      received += chunk.length;
      // Beyond it is another's place.
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

/** @returns whether all `size` bytes were there to be copied */
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

/** A disk that is nearly full may take a part of what it is given, and refuses the rest when asked again. */
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
