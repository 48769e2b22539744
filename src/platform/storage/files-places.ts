import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isBlobId } from './object-store.js';

const DRAFT = '.draft';

/** The names of everything below one folder of objects. */
export class Places {
  readonly staging: string;
  /** Holds an id of the folder's own. */
  readonly marker: string;

  constructor(readonly root: string) {
    this.staging = join(root, 'staging');
    this.marker = join(root, 'store-id');
  }

  /** Ids made at the same time begin alike: their last digits spread them. */
  folderOf(blobId: string): { readonly outer: string; readonly inner: string } {
    const id = checked(blobId);
    const outer = join(this.root, id.slice(-2));
    return { outer, inner: join(outer, id.slice(-4, -2)) };
  }

  blob(blobId: string): string {
    return join(this.folderOf(blobId).inner, blobId);
  }

  /** A blob in one piece, until it is whole. */
  draft(blobId: string): string {
    return `${this.staged(blobId)}${DRAFT}`;
  }

  /** The folder of an upload in parts, until it is a blob. */
  staged(blobId: string): string {
    return join(this.staging, checked(blobId));
  }

  /** As long as the whole; slot 0 of every part is written in place. */
  parts(blobId: string): string {
    return join(this.staged(blobId), 'parts');
  }

  /** Of a slot but the first. The token is new each time, so that nobody ever writes into, or removes, another's file. */
  part(blobId: string, part: { readonly number: number; readonly slot: number }, token: string): string {
    return join(this.staged(blobId), `part-${part.number}-${part.slot}-${checkedToken(token)}`);
  }

  /** In the folder of an upload: new each time. */
  whole(blobId: string): string {
    return join(this.staged(blobId), `whole-${newToken()}`);
  }

  probe(): string {
    return join(this.staging, `probe-${newToken()}`);
  }
}

/** @param name of what is found in staging or beside blobs; null when it is of no blob */
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
