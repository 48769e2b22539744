import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { service } from './running-service.js';

/** Where the shared service keeps the parts of an upload until they become an object. */
const folderOf = (blobId: string) => join(service.dataDir, 'objects', 'staging', blobId);

/** How many bytes the files have in which the parts of an upload are. */
export async function stagedBytes(blobId: string): Promise<number> {
  const names = await readdir(folderOf(blobId));
  // A part that was replaced may be removed meanwhile.
  const sizes = names.map(async (name) => (await stat(join(folderOf(blobId), name)).catch(() => null))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Writes over the parts of an upload, as a writer does that has lost its right to and does not know it yet. */
export async function overwriteStagedParts(blobId: string, content: Buffer): Promise<void> {
  const file = await open(join(folderOf(blobId), 'parts'), 'r+');
  await file.write(content, 0, content.length, 0);
  await file.close();
}
