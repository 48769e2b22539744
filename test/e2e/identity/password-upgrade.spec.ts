import { hash } from '@node-rs/argon2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Actor, PASSWORD, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';

const WEAK = { memoryCost: 4_096, timeCost: 1, parallelism: 1 };
const OTHER = 'another-horse-battery';
const TODAY = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

describe('a weak hash of a password', () => {
  let app: TestApp;
  let person: Actor;
  let weak: string;

  beforeAll(async () => {
    app = await createTestApp();
  });
  beforeEach(async () => {
    person = await signedIn(app);
    weak = await hash(PASSWORD, WEAK);
    await app.rows('UPDATE users SET password_hash = $2 WHERE id = $1', [person.id, weak]);
  });
  afterAll(() => app.close());

  const signIn = (password = PASSWORD) =>
    app.request().post('/v1/auth/login').type('form').send({ username: person.email, password });
  const stored = async (): Promise<string> =>
    (await app.rows<{ password_hash: string }>('SELECT password_hash FROM users WHERE id = $1', [person.id]))[0]
      ?.password_hash ?? '';

  /** Holds the account's row until something waits for it, and then changes its password. */
  async function whileSomebody<T>(signsIn: () => Promise<T>, then: string): Promise<T> {
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [person.id]);
      const answer = signsIn();
      for (;;) {
        const { rowCount } = await client.query(
          `SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
        );
        if (rowCount !== 0) break;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await client.query('UPDATE users SET password_hash = $2 WHERE id = $1', [person.id, then]);
      await client.query('COMMIT');
      return await answer;
    } finally {
      await client.end();
    }
  }

  it('is made anew at sign-in, and stays when the password is wrong', async () => {
    await signIn('wrong-horse-battery').expect(401);
    expect(await stored()).toBe(weak);
    await signIn().expect(200);
    expect(await stored()).toMatch(TODAY);
    await signIn().expect(200);
  });

  it('lets in everybody who signs in at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => signIn()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await stored()).toMatch(TODAY);
  });

  it('does not take the place of a password that was changed meanwhile, and lets nobody in', async () => {
    const changed = await hash(OTHER, WEAK);
    const answer = await whileSomebody(async () => signIn(), changed);
    expect([answer.status, answer.body]).toEqual([401, { detail: 'Incorrect email or password' }]);
    expect(await stored()).toBe(changed);
    await signIn().expect(401);
    await signIn(OTHER).expect(200);
  });
});
