import { isRefusal } from '@operational-events/client';

/** The form of a name that addresses have: small letters, digits and single hyphens. Empty for an empty name. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const slug = plain.replaceAll(/[^a-z0-9]+/g, '-').slice(0, 60);
  const bare = slug.replaceAll(/^-+|-+$/g, '');
  // Of names in other scripts the code points are left.
  return bare !== ''
    ? bare
    : Array.from(plain.trim().slice(0, 12), (each) => each.codePointAt(0)?.toString(36)).join('-');
}

/** With an ending nobody else will have when the short form is somebody else's already. */
export async function withFreeSlug<T>(name: string, make: (slug: string) => Promise<T>): Promise<T> {
  const slug = slugOf(name);
  try {
    return await make(slug);
  } catch (error) {
    if (!isRefusal(error) || error.status !== 409) throw error;
    return make(`${slug}-${randomEnding()}`);
  }
}

function randomEnding(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => (byte % 36).toString(36)).join('');
}
