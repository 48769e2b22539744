import { hash } from '@node-rs/argon2';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { account, type Account, api, PASSWORD } from '../../support/service.js';
import { passwordHash, setPasswordHash, setPasswordHashDuring } from '../../support/sql-builders/identity.js';

const WEAK = { memoryCost: 4_096, timeCost: 1, parallelism: 1 };
const OTHER = 'another-horse-battery';
const TODAY = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

describe('a weak hash of a password', () => {
  let user: Account;
  let weak: string;

  beforeEach(async () => {
    user = await account();
    weak = await hash(PASSWORD, WEAK);
    await setPasswordHash(user.id, weak);
  });

  const signIn = (password = PASSWORD) =>
    api.post('/v1/auth/login').type('form').send({ username: user.email, password });
  const stored = () => passwordHash(user.id);

  it('is replaced by a strong one at the next sign-in, but not when the password is wrong', async () => {
    await signIn('wrong-horse-battery').expect(401);
    expect(await stored()).toBe(weak);
    await signIn().expect(200);
    expect(await stored()).toMatch(TODAY);
    await signIn().expect(200);
  });

  it('lets in every request that signs in at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => signIn()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await stored()).toMatch(TODAY);
  });

  it('does not replace a password that was changed during the sign-in, and returns 401', async () => {
    const changed = await hash(OTHER, WEAK);
    const answer = await setPasswordHashDuring(user.id, changed, async () => signIn());
    expect([answer.status, answer.body]).toEqual([401, { detail: 'Incorrect email or password' }]);
    expect(await stored()).toBe(changed);
    await signIn().expect(401);
    await signIn(OTHER).expect(200);
  });
});
