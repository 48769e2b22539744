import { describe, expect, it } from '@jest/globals';
import { account, api, PASSWORD, randomEmail } from '../../support/service.js';
import { agePasswordAttempts, storedPasswordAttempts } from '../../support/sql-builders/ingestion.js';
import { failedSignIns } from '../../support/sql-builders/sign-in.js';

const LOCKED = { detail: 'Too many failed sign-in attempts' };

// The limits of client addresses are in test/integration/rate-limits/sign-ins.ts.
describe('an address with wrong passwords', () => {
  const signIn = (username: string, password: string) =>
    api.post('/v1/auth/login').type('form').send({ username, password });

  it('is locked after the 30th with the same answers, whether or not it has an account', async () => {
    const { email } = await account();
    const transcripts: unknown[][] = [];
    for (const address of [email, randomEmail()]) {
      const transcript: unknown[] = [];
      await failedSignIns(address, 20);
      for (let one = 0; one < 12; one += 1) {
        const answer = await signIn(one % 2 === 0 ? address : address.toUpperCase(), 'wrong-one');
        const { status, body, headers } = answer as { status: number; body: unknown; headers: object };
        transcript.push([status, body, Object.keys(headers).sort()]);
      }
      transcripts.push(transcript);
    }
    expect(transcripts[0]).toEqual(transcripts[1]);
    expect(transcripts[0]?.map((entry) => (entry as unknown[])[0])).toEqual([...Array<number>(10).fill(401), 429, 429]);
    const refused = await signIn(email, PASSWORD).expect(429, LOCKED);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(800);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(900);
  });

  it('has none after a right password, and is not locked by right passwords in parallel', async () => {
    const { email } = await account();
    await failedSignIns(email, 28);
    await signIn(email, 'wrong-one').expect(401);
    const answers = await Promise.all(Array.from({ length: 15 }, () => signIn(email, PASSWORD)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(15).fill(200));
    await failedSignIns(email, 28);
    await signIn(email, 'wrong-one').expect(401);
    await signIn(email, PASSWORD).expect(200);
  });

  it('is unlocked after 15 minutes, although there were attempts during the lock', async () => {
    const { email } = await account();
    await failedSignIns(email, 29);
    await signIn(email, 'wrong-one').expect(401);
    await signIn(email, PASSWORD).expect(429, LOCKED);
    await agePasswordAttempts(email, 15);
    await signIn(email, 'wrong-one').expect(401);
    await signIn(email, PASSWORD).expect(200);
  });

  it('is not locked by those older than 15 minutes', async () => {
    const email = randomEmail();
    await failedSignIns(email, 29);
    await agePasswordAttempts(email, 16);
    await signIn(email, 'wrong-one').expect(401);
    await failedSignIns(email, 28);
    await signIn(email, 'wrong-one').expect(401);
    await signIn(email, 'wrong-one').expect(429);
  });

  it('keeps its sessions and locks no other address while it is locked', async () => {
    const [locked, other] = [await account(), await account()];
    await failedSignIns(locked.email, 29);
    await signIn(locked.email, 'wrong-one').expect(401);
    await signIn(locked.email, 'wrong-one').expect(429);
    await api.as(locked).get('/v1/auth/me').expect(200);
    await api.post('/v1/auth/refresh', { refresh_token: locked.refreshToken }).expect(200);
    await signIn(other.email, PASSWORD).expect(200);
  });

  it('is not stored as text', async () => {
    const email = randomEmail();
    await signIn(email, 'wrong-one').expect(401);
    const stored = await storedPasswordAttempts(email);
    expect(stored).not.toBe('[]');
    expect(stored).not.toContain(email);
  });
});
