import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, opendir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { within } from '../concurrency/index.js';
import { BlobStream } from './blob-stream.js';
import {
  BlobMissing,
  type ByteRange,
  ObjectStore,
  type PartPlace,
  PartsLost,
  StoreUnavailable,
  type WrittenPart,
} from './object-store.js';
import { checkPlace, inOrder } from './parts.js';
import {
  closing,
  copyRange,
  isMissing,
  onDisk,
  orIfMissing,
  removeAll,
  syncFolder,
  withFile,
  writeContent,
} from './disk.js';
import { Marker } from './files-marker.js';
import { blobIdIn, newToken, Places } from './files-places.js';
import { errorCode } from '../errors/index.js';

const READ_BYTES = 256 * 1_024;
const BATCH = 1_000;
const HEALTH_WITHIN_MS = 2_000;
const FOLDER_MODE = 0o700;

/**
 * Stores blobs as files in one folder, which any number of processes may share. A blob is written to the staging
 * folder, synced, and renamed to its final path. The parts of an upload are written at their offsets into one file, so
 * that completing the upload copies nothing.
 */
export class FilesObjectStore extends ObjectStore {
  override readonly driver = 'files';
  private readonly places: Places;
  private readonly marker: Marker;
  /** Folders of blobs that this process has created or found. There are at most 256 outer and 65,536 inner folders. */
  private readonly known = new Set<string>();

  /** @param folder an absolute path. The folder is created on first use, with access only for its owner */
  constructor(folder: string) {
    super();
    this.places = new Places(folder);
    this.marker = new Marker(this.places);
  }

  override async put(
    blobId: string,
    content: AsyncIterable<Uint8Array>,
    size: number | null,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const draft = this.places.draft(blobId);
    const file = await this.openDraft(draft);
    let isPlaced = false;
    try {
      await closing(file, async () => {
        // The folder is created while the content arrives.
        const folder = this.makeFolder(blobId);
        folder.catch(() => undefined);
        await writeContent(file, content, { position: 0, size }, signal);
        await folder;
      });
      signal.throwIfAborted();
      isPlaced = true;
      await this.place(draft, blobId);
    } catch (error) {
      // If a file cannot be deleted here, remove() deletes it later, as after a crash.
      for (const path of isPlaced ? [draft, this.places.blob(blobId)] : [draft]) {
        await rm(path, { force: true }).catch(() => undefined);
      }
      throw error;
    }
  }

  override async open(blobId: string, range: ByteRange | null, signal: AbortSignal): Promise<BlobStream> {
    signal.throwIfAborted();
    const file = await onDisk(orIfMissing(open(this.places.blob(blobId), 'r'), null));
    if (file === null) {
      // When the folder is not mounted, every file is missing, although no blob is lost.
      await this.marker.check();
      throw new BlobMissing();
    }
    try {
      const { size } = await onDisk(file.stat());
      if (range !== null && range.last >= size) throw new StoreUnavailable(new Error('The blob is shorter than that'));
      const span = range ?? { first: 0, last: size - 1 };
      return new BlobStream({ next: reader(file, span), close: () => file.close() }, signal);
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
  }

  override async remove(blobId: string, _uploadToken: string | null): Promise<void> {
    const [staged, blob] = [this.places.staged(blobId), this.places.blob(blobId)];
    await this.marker.check();
    for (const path of [this.places.draft(blobId), staged, blob]) await removeAll(path);
    // Removed files must not reappear after a power loss, because no record would refer to them.
    await syncFolder(this.places.staging);
    await orIfMissing(syncFolder(dirname(blob)), undefined);
  }

  override async beginParts(blobId: string, size: number, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const [staged, parts] = [this.places.staged(blobId), this.places.parts(blobId)];
    await this.makeStaged(staged);
    // The file is renamed only when it has its full length.
    const draft = this.places.whole(blobId);
    try {
      await withFile(draft, 'wx', (file) => onDisk(file.truncate(size)));
      await onDisk(rename(draft, parts));
      await syncFolder(staged);
      await syncFolder(this.places.staging);
    } catch (error) {
      for (const path of [draft, parts]) await rm(path, { force: true }).catch(() => undefined);
      await removeIfEmpty(staged);
      throw error;
    }
    return '';
  }

  override async putPart(
    blobId: string,
    _uploadToken: string,
    part: PartPlace,
    content: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<string> {
    checkPlace(part);
    signal.throwIfAborted();
    const token = newToken();
    const isInPlace = part.slot === 0;
    const path = isInPlace ? this.places.parts(blobId) : this.places.part(blobId, part, token);
    try {
      const links = await withFile(path, isInPlace ? 'r+' : 'wx', async (file) => {
        await writeContent(file, content, { position: isInPlace ? part.offset : 0, size: part.size }, signal);
        return (await onDisk(file.stat())).nlink;
      });
      // Another request has removed the upload.
      if (links === 0) throw new PartsLost();
      if (!isInPlace) await syncFolder(this.places.staged(blobId));
      return token;
    } catch (error) {
      if (!isInPlace) await rm(path, { force: true }).catch(() => undefined);
      throw isMissing(error) ? await this.lost(error) : error;
    }
  }

  override async removePart(blobId: string, part: Pick<WrittenPart, 'number' | 'slot' | 'token'>): Promise<void> {
    if (part.slot > 0) await removeAll(this.places.part(blobId, part, part.token));
  }

  override async completeParts(
    blobId: string,
    _uploadToken: string,
    parts: readonly WrittenPart[],
    { size, disturbed }: { size: number; disturbed: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const sorted = inOrder(parts, size);
    signal.throwIfAborted();
    if (!(await this.isComplete(blobId, size))) {
      try {
        await (disturbed ? this.assemble(blobId, sorted, signal) : this.patch(blobId, sorted, size, signal));
      } catch (error) {
        const isGone = error instanceof PartsLost || isMissing(error);
        // Another caller may have completed the same upload first and removed its files.
        if (!isGone) throw error;
        if (!(await this.isComplete(blobId, size))) throw await this.lost(error);
      }
    }
    await removeAll(this.places.staged(blobId));
  }

  override health(): Promise<void> {
    const late = (): Error => new StoreUnavailable(new Error('The disk does not answer'));
    return within(HEALTH_WITHIN_MS, this.probe(), late);
  }

  /** Returns the id in the folder. Two folders are two stores, even when their paths are the same. */
  override identity(): Promise<string> {
    return this.marker.check();
  }

  override async *blobs(signal: AbortSignal): AsyncGenerator<readonly string[]> {
    await this.marker.check();
    let batch: string[] = [];
    // A blob that is completed meanwhile moves from the staging folder to a folder that is read later.
    for await (const name of this.names(signal)) {
      const blobId = blobIdIn(name);
      if (blobId === null) continue;
      batch.push(blobId);
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  private async *names(signal: AbortSignal): AsyncGenerator<string> {
    yield* namesIn(this.places.staging, signal);
    for await (const outer of namesIn(this.places.root, signal)) {
      if (!isSpread(outer)) continue;
      for await (const inner of namesIn(join(this.places.root, outer), signal)) {
        if (isSpread(inner)) yield* namesIn(join(this.places.root, outer, inner), signal);
      }
    }
  }

  /** Opens a new draft. Ids are used only once, so an existing draft with this name is from a process that died. */
  private async openDraft(path: string): Promise<FileHandle> {
    await this.marker.id();
    const draft = (): Promise<FileHandle> => open(path, 'wx', 0o600);
    try {
      return await draft();
    } catch (error) {
      if (isMissing(error)) await this.makeStaging();
      else if (errorCode(error) === 'EEXIST') await removeAll(path);
      else throw new StoreUnavailable(error);
    }
    return onDisk(draft());
  }

  private async makeStaged(path: string): Promise<void> {
    await this.marker.id();
    if (await onDisk(orIfMissing(made(path), false))) return;
    await this.makeStaging();
    await onDisk(made(path));
  }

  /**
   * Creates the staging folder, after checking that the folder of objects has the right id. Without the check, the
   * folder could be an empty mount point.
   */
  private async makeStaging(): Promise<void> {
    await this.marker.check();
    await onDisk(made(this.places.staging));
  }

  /** Creates the folder for a blob, so that it survives a power loss. */
  private async makeFolder(blobId: string): Promise<void> {
    const { outer, inner } = this.places.folderOf(blobId);
    if (this.known.has(inner)) return;
    await onDisk(made(outer));
    await onDisk(made(inner));
    // Folders that existed are also synced, because the process that created them may have died before its sync.
    const above = this.known.has(outer) ? [outer] : [outer, this.places.root];
    await Promise.all(above.map(syncFolder));
    this.known.add(outer).add(inner);
  }

  /**
   * Moves a file to the final path of its blob. @throws StoreUnavailable, after which the file may be at either path
   */
  private async place(path: string, blobId: string): Promise<void> {
    const { outer, inner } = this.places.folderOf(blobId);
    const move = (): Promise<void> => onDisk(rename(path, this.places.blob(blobId)));
    await this.makeFolder(blobId);
    try {
      await move();
    } catch (error) {
      // Another process may have removed empty folders. If the file itself is missing, the second attempt fails too.
      if (!isMissing(error)) throw error;
      for (const folder of [outer, inner]) this.known.delete(folder);
      await this.makeFolder(blobId);
      await move();
    }
    await syncFolder(inner);
  }

  /** Returns the error for lost parts. When the folder is not mounted, no parts are lost. @throws StoreUnavailable */
  private async lost(error: unknown): Promise<PartsLost> {
    await this.marker.check();
    return new PartsLost(error);
  }

  private async isComplete(blobId: string, size: number): Promise<boolean> {
    const found = await onDisk(orIfMissing(stat(this.places.blob(blobId)), null));
    return found !== null && found.size === size;
  }

  /**
   * Copies the parts that were sent again into the file of the parts, and then moves this file to the path of the blob.
   */
  private async patch(blobId: string, parts: readonly WrittenPart[], size: number, signal: AbortSignal): Promise<void> {
    const path = this.places.parts(blobId);
    await withFile(path, 'r+', async (file) => {
      if ((await onDisk(file.stat())).size !== size) throw new PartsLost();
      for (const part of parts) if (part.slot > 0) await this.copyAside(blobId, part, file, signal);
      await onDisk(file.sync());
    });
    await this.place(path, blobId);
  }

  /**
   * Copies all parts into a new file, and moves this file to the path of the blob. Late writes into the file of the
   * parts then cannot change the blob.
   */
  private async assemble(blobId: string, parts: readonly WrittenPart[], signal: AbortSignal): Promise<void> {
    const whole = this.places.whole(blobId);
    try {
      await withFile(whole, 'wx', async (file) => {
        await withFile(this.places.parts(blobId), 'r', async (inPlace) => {
          for (const part of parts) {
            if (part.slot > 0) await this.copyAside(blobId, part, file, signal);
            else await copyAll({ file: inPlace, position: part.offset }, part, file, signal);
          }
        });
        await onDisk(file.sync());
      });
      await this.place(whole, blobId);
    } catch (error) {
      await rm(whole, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  private copyAside(blobId: string, part: WrittenPart, to: FileHandle, signal: AbortSignal): Promise<void> {
    return withFile(this.places.part(blobId, part, part.token), 'r', (file) =>
      copyAll({ file, position: 0 }, part, to, signal),
    );
  }

  private async probe(): Promise<void> {
    await this.marker.check();
    const path = this.places.probe();
    try {
      await withFile(path, 'wx', (file) => onDisk(file.writeFile('probe')));
    } finally {
      await rm(path, { force: true }).catch(() => undefined);
    }
  }
}

async function copyAll(
  from: { readonly file: FileHandle; readonly position: number },
  { offset, size }: PartPlace,
  to: FileHandle,
  signal: AbortSignal,
): Promise<void> {
  if (!(await copyRange(from, { file: to, position: offset }, size, signal))) throw new PartsLost();
}

function reader(file: FileHandle, { first, last }: ByteRange): () => Promise<Uint8Array | null> {
  let at = first;
  return async () => {
    if (at > last) return null;
    const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, last - at + 1));
    const { bytesRead } = await onDisk(file.read(buffer, 0, buffer.length, at));
    if (bytesRead === 0) throw new StoreUnavailable(new Error('The blob has become shorter'));
    at += bytesRead;
    return buffer.subarray(0, bytesRead);
  };
}

async function* namesIn(folder: string, signal: AbortSignal): AsyncGenerator<string> {
  signal.throwIfAborted();
  const entries = await onDisk(orIfMissing(opendir(folder, { bufferSize: BATCH }), null));
  if (entries === null) return;
  try {
    for (;;) {
      signal.throwIfAborted();
      const entry = await onDisk(entries.read());
      if (entry === null) return;
      yield entry.name;
    }
  } finally {
    await onDisk(entries.close());
  }
}

/** Creates a folder. @returns true, also when the folder existed */
async function made(path: string): Promise<true> {
  try {
    await mkdir(path, { mode: FOLDER_MODE });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  return true;
}

/** Removes the folder. Fails silently when it contains files of another process or is gone. */
async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}

/** Returns whether the name is the name of a folder in which blobs are stored. */
function isSpread(name: string): boolean {
  return /^[0-9a-f]{2}$/.test(name);
}
