import type { MigrationInterface, QueryRunner } from 'typeorm';

interface Keyed {
  readonly id: string;
  readonly email_key: string;
  /** Rows of one place cannot have one key. Null: any number can. */
  readonly place: string | null;
}

/**
 * Keys of addresses are composed again after folding: `J` with a caron becomes `j` with a caron, for which there is one
 * character. Addresses that differed in this alone now have one key.
 *
 * Of rows that this makes one the confirmed and then the oldest keeps the address. The key of another becomes its id,
 * which no address compares to: it is signed in to by provider or passkey and can be given another address.
 */
export class ComposedAddressKeys1795227000000 implements MigrationInterface {
  readonly name = 'ComposedAddressKeys1795227000000';

  async up(q: QueryRunner): Promise<void> {
    await rekey(
      q,
      'users',
      `SELECT id, email_key, '' AS place FROM users WHERE email_key ~ '[^\\x01-\\x7f]'
       ORDER BY email_verified_at IS NULL, created_at, id`,
    );
    await rekey(
      q,
      'invitations',
      `SELECT id, email_key, CASE WHEN status = 'pending' THEN organization_id END AS place FROM invitations
       WHERE email_key ~ '[^\\x01-\\x7f]' ORDER BY created_at, id`,
    );
    // Of sign-ins that are under way: begun again they find the key of now.
    await q.query(`DELETE FROM oauth_pending_links WHERE email_key ~ '[^\\x01-\\x7f]'`);
  }

  /** The keys of before could collide again; those of now stay good for every address but these. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}

/** First all out of the way, since a new key may be another row's old one. */
async function rekey(q: QueryRunner, table: string, select: string): Promise<void> {
  const rows = (await q.query(select)) as Keyed[];
  const taken = new Set<string>();
  const changed: { id: string; key: string }[] = [];
  for (const { id, email_key: standing, place } of rows) {
    const key = composed(standing);
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
function composed(key: string): string {
  const likeAscii = /([\u037e\u1fef\u212a])/;
  return key
    .split(likeAscii)
    .map((part) => (likeAscii.test(part) ? part : part.normalize('NFC')))
    .join('');
}
