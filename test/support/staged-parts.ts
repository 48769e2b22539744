import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { service } from './running-service.js';

/** Returns the folder where the shared service keeps the parts of an upload until they become an object. */
const folderOf = (blobId: string) => join(service.dataDir, 'objects', 'staging', blobId);

/** Returns the total size of the files that contain the parts of an upload. */
export async function stagedBytes(blobId: string): Promise<number> {
  const names = await readdir(folderOf(blobId));
  // A part that was replaced may be removed at the same time.
  const sizes = names.map(async (name) => (await stat(join(folderOf(blobId), name)).catch(() => null))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Overwrites the parts of an upload, like a writer that has lost its lease without noticing. */
export async function overwriteStagedParts(blobId: string, content: Buffer): Promise<void> {
  const file = await open(join(folderOf(blobId), 'parts'), 'r+');
  await file.write(content, 0, content.length, 0);
  await file.close();
}
