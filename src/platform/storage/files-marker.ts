import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreUnavailable } from './object-store.js';
import { onDisk, orIfMissing, syncFolder, withFile } from './disk.js';
import type { Places } from './files-places.js';
import { errorCode } from '../errors/index.js';

/**
 * An id that is stored in the folder of objects. It distinguishes one folder from another, and the folder from an empty
 * mount point.
 */
export class Marker {
  private first: Promise<string> | null = null;

  constructor(private readonly places: Places) {}

  /**
   * Returns the id, which is read only once. If the folder or the id does not exist, creates it. @throws
   * StoreUnavailable
   */
  id(): Promise<string> {
    this.first ??= this.readOrMake().catch((error: unknown) => {
      this.first = null;
      throw error;
    });
    return this.first;
  }

  /** Checks that the folder still contains the id, and returns it. @throws StoreUnavailable */
  async check(): Promise<string> {
    const id = await this.id();
    if ((await this.read()) !== id) throw new StoreUnavailable(new Error('The folder of objects is not there'));
    return id;
  }

  private async readOrMake(): Promise<string> {
    const { root, staging, marker } = this.places;
    // The data folder is created without restrictions, because the user of the embedded database needs access to it.
    await onDisk(mkdir(dirname(root), { recursive: true }));
    for (const folder of [root, staging]) await onDisk(mkdir(folder, { recursive: true, mode: 0o700 }));
    return (await this.read()) ?? (await this.make(marker, root));
  }

  /** Creates the id. When several processes do this at once, the first one to link its file wins. */
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
  if (errorCode(error) !== 'EEXIST') throw error;
}
