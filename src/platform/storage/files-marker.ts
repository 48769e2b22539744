import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreUnavailable } from './object-store.js';
import { onDisk, orIfMissing, syncFolder, withFile } from './disk.js';
import type { Places } from './files-places.js';

/** An id that stands in the folder itself: tells one folder from another, and one that is there from one that is not mounted. */
export class Marker {
  private first: Promise<string> | null = null;

  constructor(private readonly places: Places) {}

  /** Makes the folder and its id where there is none. The id is read once. @throws StoreUnavailable */
  id(): Promise<string> {
    this.first ??= this.readOrMake().catch((error: unknown) => {
      this.first = null;
      throw error;
    });
    return this.first;
  }

  /** @returns the id, which is still there @throws StoreUnavailable */
  async check(): Promise<string> {
    const id = await this.id();
    if ((await this.read()) !== id) throw new StoreUnavailable(new Error('The folder of objects is not there'));
    return id;
  }

  private async readOrMake(): Promise<string> {
    const { root, staging, marker } = this.places;
    // The data folder itself stays open for the embedded database's own user.
    await onDisk(mkdir(dirname(root), { recursive: true }));
    for (const folder of [root, staging]) await onDisk(mkdir(folder, { recursive: true, mode: 0o700 }));
    return (await this.read()) ?? (await this.make(marker, root));
  }

  /** Of several processes that start at once the first to link its file wins. */
  private async make(marker: string, root: string): Promise<string> {
    const draft = this.places.probe();
    try {
      await withFile(draft, 'wx', async (file) => {
        await onDisk(file.writeFile(`${randomUUID()}\n`));
        await onDisk(file.sync());
      });
      await onDisk(link(draft, marker).catch(unlessThere));
    } finally {
      await rm(draft, { force: true }).catch(() => undefined);
    }
    await syncFolder(root);
    await syncFolder(dirname(root));
    const id = await this.read();
    if (id === null) throw new StoreUnavailable(new Error('The folder of objects is not there'));
    return id;
  }

  private async read(): Promise<string | null> {
    const text = await onDisk(orIfMissing(readFile(this.places.marker, 'utf8'), null));
    return text === null ? null : text.trim();
  }
}

function unlessThere(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}
