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
   * Returns the folders of a blob. Ids created at the same time begin with the same digits, so the last digits are
   * used.
   */
  folderOf(blobId: string): { readonly outer: string; readonly inner: string } {
    const id = checked(blobId);
    const outer = join(this.root, id.slice(-2));
    return { outer, inner: join(outer, id.slice(-4, -2)) };
  }

  blob(blobId: string): string {
    return join(this.folderOf(blobId).inner, blobId);
  }

  /** Returns the path of a blob that is written in one piece, until it is complete. */
  draft(blobId: string): string {
    return `${this.staged(blobId)}${DRAFT}`;
  }

  /** Returns the folder of an upload in parts, until it is a blob. */
  staged(blobId: string): string {
    return join(this.staging, checked(blobId));
  }

  /** Returns the file of the parts. It is as long as the blob, and slot 0 of every part is written in place. */
  parts(blobId: string): string {
    return join(this.staged(blobId), 'parts');
  }

  /**
   * Returns the file of a part in any slot but 0. The token is new for each write, so that no writer changes or removes
   * the file of another.
   */
  part(blobId: string, part: { readonly number: number; readonly slot: number }, token: string): string {
    return join(this.staged(blobId), `part-${part.number}-${part.slot}-${checkedToken(token)}`);
  }

  /** Returns a new path in the folder of an upload on each call. */
  whole(blobId: string): string {
    return join(this.staged(blobId), `whole-${newToken()}`);
  }

  probe(): string {
    return join(this.staging, `probe-${newToken()}`);
  }
}

/** Returns the blob id in a file name from staging or a folder of blobs, or null. */
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
