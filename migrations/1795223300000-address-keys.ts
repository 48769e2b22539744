import type { MigrationInterface, QueryRunner } from 'typeorm';

interface Address {
  readonly id: string;
  readonly email: string;
}

/**
 * Addresses compare in NFC with ASCII letters folded; before, every letter was folded and nothing normalized. Keys of
 * ASCII addresses stay as they are.
 *
 * Of rows that NFC makes one the confirmed and then the oldest keeps the address. The key of another becomes its id,
 * which no address compares to: it is signed in to by provider or passkey and can be given another address.
 */
export class AddressKeys1795223300000 implements MigrationInterface {
  readonly name = 'AddressKeys1795223300000';

  async up(q: QueryRunner): Promise<void> {
    const users = (await q.query(
      `SELECT id, email FROM users WHERE email ~ '[^\\x01-\\x7f]' ORDER BY email_verified_at IS NULL, created_at, id`,
    )) as Address[];
    await rekey(q, 'users', users, 'SELECT FROM users WHERE email_key = $2');
    const invitations = (await q.query(
      `SELECT id, email FROM invitations WHERE email ~ '[^\\x01-\\x7f]' ORDER BY status <> 'pending', created_at, id`,
    )) as Address[];
    await rekey(
      q,
      'invitations',
      invitations,
      `SELECT FROM invitations o WHERE o.email_key = $2 AND o.organization_id = t.organization_id
         AND o.status = 'pending' AND t.status = 'pending'`,
    );
  }

  /** The keys of before could collide again; those of now stay good for every address without capitals beyond ASCII. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}

/** First all out of the way, since a new key may be another row's old one. */
async function rekey(q: QueryRunner, table: string, rows: Address[], taken: string): Promise<void> {
  await q.query(`UPDATE ${table} SET email_key = id::text WHERE id = ANY ($1)`, [rows.map(({ id }) => id)]);
  for (const { id, email } of rows) {
    await q.query(`UPDATE ${table} t SET email_key = $2 WHERE id = $1 AND NOT EXISTS (${taken})`, [id, keyOf(email)]);
  }
}

/** As `emailKeyOf` was when this was written. */
function keyOf(email: string): string {
  const likeAscii = /([\u037e\u1fef\u212a])/;
  const fold = (part: string): string => part.normalize('NFC').replace(/[A-Z]+/g, (ascii) => ascii.toLowerCase());
  return email
    .split(likeAscii)
    .map((part) => (likeAscii.test(part) ? part : fold(part)))
    .join('');
}
