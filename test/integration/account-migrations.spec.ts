import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../migrations/index.js';
import { ProofsOfChanges1795223000000 } from '../../migrations/1795223000000-proofs-of-changes.js';
import { runMigrations } from '../../src/platform/database/migrate.js';
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.js';

const id = (n: number): string => `01990000-0000-7000-8000-${String(n).padStart(12, '0')}`;

describe('accounts that were there before their present rules', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createEmptyDatabase();
    const earlier = MIGRATIONS.slice(
      0,
      MIGRATIONS.findIndex((migration) => migration === ProofsOfChanges1795223000000),
    );
    const source = new DataSource({ type: 'postgres', url: database.url, migrations: [...earlier] });
    await source.initialize();
    await source.runMigrations();
    await source.destroy();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const users: [number, string, string, string | null, boolean][] = [
      [1, 'Mike@example.com', 'mike@example.com', 'a', true],
      [2, 'REN\u00c9@example.com', 'ren\u00e9@example.com', 'a', true],
      [3, 'e\u0301@example.com', 'e\u0301@example.com', 'a', false],
      [4, '\u00e9@example.com', '\u00e9@example.com', 'a', true],
      [5, 'mi\u212ae@b.example', 'mike@b.example', 'a', true],
      [6, 'waiting@example.com', 'waiting@example.com', 'a', false],
      [7, 'disputed@example.com', 'disputed@example.com', 'a', false],
    ];
    for (const [n, email, key, hash, isVerified] of users) {
      await client.query(
        `INSERT INTO users (id, email, email_key, password_hash, email_verified_at)
         VALUES ($1, $2, $3, $4, CASE WHEN $5 THEN now() END)`,
        [id(n), email, key, hash, isVerified],
      );
    }
    for (const [n, user, hash] of [
      [1, 6, 'a'],
      [2, 7, 'a'],
      [3, 7, 'b'],
      [4, 6, null],
    ] as const) {
      await client.query(
        `INSERT INTO user_tokens (id, user_id, purpose, token_hash, expires_at, password_hash)
         VALUES ($1::uuid, $2, 'verify_email', sha256($1::uuid::text::bytea), now(), $3)`,
        [id(n), id(user), hash],
      );
    }
    for (const [n, minutes] of [
      [1, 9],
      [2, 11],
    ] as const) {
      await client.query(
        `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, sign_count, backup_eligible, backed_up, transports)
         VALUES ($1::uuid, $1::uuid, 'Laptop', $1::uuid::text::bytea, '', 0, false, false, '{}')`,
        [id(n)],
      );
      await client.query(
        `INSERT INTO security_events (id, user_id, type, created_at)
         VALUES ($1::uuid, $1::uuid, 'signed_in', now() - make_interval(mins => $2))`,
        [id(n), minutes],
      );
    }
    await runMigrations(database.url);
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const column = async (sql: string): Promise<unknown[]> =>
    (await client.query<{ value: unknown }>(`SELECT (${sql}) AS value FROM users u ORDER BY id`)).rows.map(
      ({ value }) => value,
    );

  it('are found by their address still, and nobody by a letter that only looks like theirs', async () => {
    expect(await column('email_key')).toEqual([
      'mike@example.com',
      'ren\u00c9@example.com',
      id(3),
      '\u00e9@example.com',
      'mi\u212ae@b.example',
      'waiting@example.com',
      'disputed@example.com',
    ]);
  });

  it('have no password of registrations that disagree', async () => {
    expect(await column('password_hash')).toEqual(['a', 'a', 'a', 'a', 'a', 'a', null]);
  });

  it('keep passkeys as proven that no young session can have added', async () => {
    const proven = await column('SELECT proven FROM passkeys p WHERE p.user_id = u.id');
    expect(proven.slice(0, 2)).toEqual([false, true]);
  });
});
