import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../migrations/index.js';
import { ProofsOfChanges1795223000000 } from '../../migrations/1795223000000-proofs-of-changes.js';
import { runMigrations } from '../../src/platform/database/migrate.js';
import { emailKeyOf } from '../../src/modules/identity/users/index.js';
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.js';
import { propertyRuns } from '../support/property-runs.js';

/** Addresses by chance, of letters and marks that go together in one order or another; equal ones among them. */
const MARKED = fc.sample(
  fc
    .array(fc.constantFrom(...'JHTWYAeji\u030c\u0331\u0308\u030a\u0301\u0323\u01f0\u1e96\u212a'), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => `${parts.join('')}@by-chance.example`)
    .filter((email) => /[^\0-\x7f]/.test(email)),
  { numRuns: propertyRuns(400), seed: 7 },
);
const FIRST_MARKED = 100;

const id = (n: number): string => `01990000-0000-7000-8000-${String(n).padStart(12, '0')}`;

describe('an account that is older than its rules', () => {
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
      [8, 'J\u030c@example.com', 'j\u030c@example.com', 'a', false],
      [9, '\u01f0@example.com', '\u01f0@example.com', 'a', true],
      [10, 'u@b\u00fccher.example', 'u@b\u00fccher.example', 'a', false],
      [11, 'u@xn--bcher-kva.example', 'u@xn--bcher-kva.example', 'a', true],
      [12, 'u@B\u00dcCHER.example', 'u@B\u00dcCHER.example', 'a', true],
      [13, 'u@\uff45xample.com', 'u@\uff45xample.com', 'a', true],
      [14, 'u@example.com', 'u@example.com', 'a', false],
      ...MARKED.map((email, n): [number, string, string, string, boolean] => [
        FIRST_MARKED + n,
        email,
        `${n} ${email}`,
        'a',
        n % 3 === 0,
      ]),
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
    for (const n of [1, 2]) {
      await client.query(
        `INSERT INTO sessions (id, user_id, method, expires_at)
         VALUES ($1::uuid, $1::uuid, 'password', now() + interval '1 day')`,
        [id(n)],
      );
    }
    await client.query(`INSERT INTO organizations (id, name, slug, owner_id) VALUES ($1, 'One', 'one', $1)`, [id(1)]);
    for (const [n, email, status] of [
      [1, 'J\u030c@example.com', 'pending'],
      [2, '\u01f0@example.com', 'pending'],
      [3, 'J\u030c@example.com', 'accepted'],
    ] as const) {
      await client.query(
        `INSERT INTO invitations (id, organization_id, email, email_key, role, status, token_hash, expires_at, created_at)
         VALUES ($1::uuid, $2, $3, lower($3), 'viewer', $4, $1::uuid::text::bytea, now(), now() + make_interval(mins => $5))`,
        [id(n), id(1), email, status, n],
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

  it('is still found by its address, and not by one with a letter that only looks the same', async () => {
    expect((await column('email_key')).slice(0, 9)).toEqual([
      'mike@example.com',
      'ren\u00c9@example.com',
      id(3),
      '\u00e9@example.com',
      'mi\u212ae@b.example',
      'waiting@example.com',
      'disputed@example.com',
      id(8),
      '\u01f0@example.com',
    ]);
  });

  it('keeps an address that several accounts share when it is the confirmed or else the oldest one', async () => {
    expect((await column('email_key')).slice(9, 14)).toEqual([
      id(10),
      'u@xn--bcher-kva.example',
      id(12),
      'u@example.com',
      id(14),
    ]);
  });

  it('has the key that is looked up, or one that nobody can type, and is the only account of its address', async () => {
    const { rows } = await client.query<{ id: string; email: string; key: string; is_confirmed: boolean }>(
      `SELECT id, email, email_key AS key, email_verified_at IS NOT NULL AS is_confirmed FROM users
       WHERE id >= $1 ORDER BY email_verified_at IS NULL, created_at, id`,
      [id(FIRST_MARKED)],
    );
    expect(rows).toHaveLength(MARKED.length);
    const seen = new Set<string>();
    const expected = rows.map((row) => {
      const key = emailKeyOf(row.email);
      const isFirst = !seen.has(key);
      seen.add(key);
      return isFirst ? key : row.id;
    });
    expect(rows.map(({ key }) => key)).toEqual(expected);
    expect(seen.size).toBeLessThan(MARKED.length);
  });

  it('is invited once to an organization by any spelling of its address', async () => {
    const { rows } = await client.query<{ key: string }>('SELECT email_key AS key FROM invitations ORDER BY id');
    expect(rows.map(({ key }) => key)).toEqual(['\u01f0@example.com', id(2), '\u01f0@example.com']);
  });

  it('has no password when its registrations disagree', async () => {
    expect((await column('password_hash')).slice(0, 7)).toEqual(['a', 'a', 'a', 'a', 'a', 'a', null]);
  });

  it('has a secret of its own for each session', async () => {
    const { rows } = await client.query<{ refresh_secret: Buffer }>('SELECT refresh_secret FROM sessions');
    const secrets = rows.map(({ refresh_secret: secret }) => secret);
    expect(secrets.map(({ length }) => length)).toEqual([32, 32]);
    expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(2);
  });

  it('keeps a passkey as proven only when no young session can have added it', async () => {
    const proven = await column('SELECT proven FROM passkeys p WHERE p.user_id = u.id');
    expect(proven.slice(0, 2)).toEqual([false, true]);
  });
});
