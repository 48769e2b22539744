import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isBlobId } from './object-store.js';

const DRAFT = '.draft';

/** The paths of all files below one folder of objects. */
export class Places {
  readonly staging: string;
  /** The file with the folder's id. */
  readonly marker: string;

  constructor(readonly root: string) {
    this.staging = join(root, 'staging');
    this.marker = join(root, 'store-id');
  }

  /**
   * Returns the folders of a blob. They are named after the last digits of the id, because ids that are created at the
   * same time begin with the same digits.
   */
  folderOf(blobId: string): { readonly outer: string; readonly inner: string } {
    const id = checked(blobId);
    const outer = join(this.root, id.slice(-2));
    return { outer, inner: join(outer, id.slice(-4, -2)) };
  }

  blob(blobId: string): string {
    return join(this.folderOf(blobId).inner, blobId);
  }

  /** Returns the path of a blob that is being written in one piece. */
  draft(blobId: string): string {
    return `${this.staged(blobId)}${DRAFT}`;
  }

  /** Returns the folder of an upload in parts that is not complete. */
  staged(blobId: string): string {
    return join(this.staging, checked(blobId));
  }

  /** Returns the file into which slot 0 of every part is written at its offset. The file is as long as the blob. */
  parts(blobId: string): string {
    return join(this.staged(blobId), 'parts');
  }

  /**
   * Returns the file of a part in a slot other than 0. The token is new for each write, so that one writer cannot
   * change or remove the file of another.
   */
  part(blobId: string, part: { readonly number: number; readonly slot: number }, token: string): string {
    return join(this.staged(blobId), `part-${part.number}-${part.slot}-${checkedToken(token)}`);
  }

  /** Returns a path for a new file in the folder of an upload. Each call returns a different path. */
  whole(blobId: string): string {
    return join(this.staged(blobId), `whole-${newToken()}`);
  }

  probe(): string {
    return join(this.staging, `probe-${newToken()}`);
  }
}

/** Returns the blob id of a file name in the staging folder or in a folder of blobs, or null. */
export function blobIdIn(name: string): string | null {
  const id = name.endsWith(DRAFT) ? name.slice(0, -DRAFT.length) : name;
  return isBlobId(id) ? id : null;
}

export function newToken(): string {
  return randomBytes(8).toString('hex');
}

function checked(blobId: string): string {
  if (!isBlobId(blobId)) throw new TypeError('Not the id of a blob');
  return blobId;
}

function checkedToken(token: string): string {
  if (!/^[0-9a-f]{16}$/.test(token)) throw new TypeError('Not the token of a part');
  return token;
}
