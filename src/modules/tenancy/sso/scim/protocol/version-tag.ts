import { ScimVersionDiffers } from './scim-fault.js';

/** The version conditions of a request for one resource. */
export interface Conditions {
  readonly ifMatch: string | null;
  readonly ifNoneMatch: string | null;
}

/** Returns whether a header contains the version, as a weak or strong tag. `*` stands for every version. */
export function namesVersion(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag));
}

/** @throws ScimVersionDiffers when `If-Match` contains only other versions */
export function requireVersion({ ifMatch }: Conditions, etag: string): void {
  if (ifMatch !== null && !namesVersion(ifMatch, etag)) throw new ScimVersionDiffers();
}

function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}
