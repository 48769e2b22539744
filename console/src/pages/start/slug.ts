import { isRefusal } from '@operational-events/client';

/** Returns the form of a name for addresses: lower-case letters, digits and single hyphens. Empty for an empty name. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const slug = plain.replaceAll(/[^a-z0-9]+/g, '-').slice(0, 60);
  const bare = slug.replaceAll(/^-+|-+$/g, '');
  // A name in another script becomes its code points.
  return bare !== ''
    ? bare
    : Array.from(plain.trim().slice(0, 12), (each) => each.codePointAt(0)?.toString(36)).join('-');
}

/** Creates something with the slug of a name. Appends a random suffix when the slug is already in use. */
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
