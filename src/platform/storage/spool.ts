import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onDisk, writeContent } from './disk.js';
import { newToken } from './files-places.js';

const READ_BYTES = 256 * 1_024;

/**
 * Stores content in a temporary file until it has ended, then calls `use` with the content and its size. The file is
 * unlinked as soon as it is open, so that it disappears however this process ends.
 * @throws StoreUnavailable for errors of the disk, and what the content, the signal or `use` throws
 */
export async function spooled<T>(
  folder: string,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  use: (content: AsyncIterable<Uint8Array>, size: number) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  await onDisk(mkdir(folder, { recursive: true, mode: 0o700 }));
  const path = join(folder, newToken());
  const file = await onDisk(open(path, 'wx+', 0o600));
  try {
    await onDisk(rm(path));
    await writeContent(file, content, { position: 0, size: null, durable: false }, signal);
    const { size } = await onDisk(file.stat());
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < size;) {
        const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, size - at));
        const { bytesRead } = await onDisk(file.read(buffer, 0, buffer.length, at));
        yield buffer.subarray(0, bytesRead);
        at += bytesRead;
      }
    };
    return await use(chunks(), size);
  } finally {
    await onDisk(file.close());
  }
}
