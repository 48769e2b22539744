import { domainToASCII } from 'node:url';
import type { MigrationInterface, QueryRunner } from 'typeorm';

interface Keyed {
  readonly id: string;
  readonly email_key: string;
  /** Rows of one place cannot have one key. Null: any number can. */
  readonly place: string | null;
}

/**
 * Addresses compare by their domain as lower-case A-labels (UTS 46). Before, each spelling of a domain was another one.
 *
 * Of rows that this makes one the confirmed and then the oldest keeps the address. The key of another becomes its id,
 * which no address compares to: it is signed in to by provider or passkey and can be given another address.
 */
export class KeysOfDomains1802410000000 implements MigrationInterface {
  readonly name = 'KeysOfDomains1802410000000';

  async up(q: QueryRunner): Promise<void> {
    await rekey(
      q,
      'users',
      `SELECT id, email_key, '' AS place FROM users WHERE %s ORDER BY email_verified_at IS NULL, created_at, id`,
    );
    await rekey(
      q,
      'invitations',
      `SELECT id, email_key, CASE WHEN status = 'pending' THEN organization_id END AS place FROM invitations
       WHERE %s ORDER BY created_at, id`,
    );
    // Of sign-ins that are under way: begun again they find the new key.
    await q.query(`DELETE FROM oauth_pending_links WHERE ${MAY_CHANGE}`);
  }

  /** The keys of before could collide again; those of now stay good for every domain in ASCII. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}

/** A domain in other letters than ASCII, or an A-label, which may be written in a way that is not the canonical one. */
const MAY_CHANGE = `email_key ~ '@.*[^\\x01-\\x7f]' OR email_key LIKE '%@%xn--%'`;

/** First all out of the way, since a new key may be another row's old one. */
async function rekey(q: QueryRunner, table: string, select: string): Promise<void> {
  const changing = (await q.query(select.replace('%s', MAY_CHANGE))) as Keyed[];
  const newKeys = changing.map((row) => keyOf(row.email_key));
  // With those that have a new key already, in the order in which they keep it.
  const rows = (await q.query(select.replace('%s', `(${MAY_CHANGE}) OR email_key = ANY ($1)`), [newKeys])) as Keyed[];
  const taken = new Set<string>();
  const changed: { id: string; key: string }[] = [];
  for (const { id, email_key: standing, place } of rows) {
    const key = keyOf(standing);
    const slot = JSON.stringify([place, key]);
    const isFree = place === null || !taken.has(slot);
    taken.add(slot);
    if (!isFree) changed.push({ id, key: id });
    else if (key !== standing) changed.push({ id, key });
  }
  const ids = changed.map((row) => row.id);
  await q.query(`UPDATE ${table} SET email_key = id::text WHERE id = ANY ($1)`, [ids]);
  await q.query(
    `UPDATE ${table} t SET email_key = n.key FROM unnest($1::uuid[], $2::text[]) n (id, key) WHERE t.id = n.id`,
    [ids, changed.map((row) => row.key)],
  );
}

/** What `emailKeyOf` made of a key of before when this was written. */
function keyOf(key: string): string {
  const at = key.lastIndexOf('@');
  if (at < 0) return key;
  const domain = key.slice(at + 1);
  const isName = /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain);
  return `${key.slice(0, at)}@${(isName && domainToASCII(domain)) || domain}`;
}
