import { describe, expect, it } from '@jest/globals';
import { hash, parseOptions } from '@node-rs/argon2';
import { OverloadedError, KeyOverloadedError } from '../concurrency/index.js';
import { Passwords } from './passwords.js';

const hasher = new Passwords();

describe('Passwords', () => {
  it('makes argon2id hashes of 19 MiB, 2 passes and 1 lane with a fresh salt', async () => {
    const first = await hasher.hash('correct horse battery', 'ada');
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(parseOptions(first)).toMatchObject({ outputLen: 32, saltLen: 16 });
    expect(await hasher.hash('correct horse battery', 'ada')).not.toBe(first);
  });

  it('verifies the right password and no other', async () => {
    const stored = await hasher.hash('Grün-und-Blau', 'ada');
    await expect(hasher.verify(stored, 'Grün-und-Blau', 'ada')).resolves.toBe(true);
    await expect(hasher.verify(stored, 'Grün-und-blau', 'ada')).resolves.toBe(false);
    await expect(hasher.verify(stored, '', 'ada')).resolves.toBe(false);
  });

  it('accepts the same letters in another Unicode form', async () => {
    const stored = await hasher.hash('caf\u00e9-au-lait', 'ada');
    await expect(hasher.verify(stored, 'cafe\u0301-au-lait', 'ada')).resolves.toBe(true);
  });

  it('asks to rehash what is weaker or another kind, and only that', async () => {
    const weaker = await hash('x', { memoryCost: 8_192, timeCost: 2, parallelism: 1 });
    const fewerPasses = await hash('x', { memoryCost: 19_456, timeCost: 1, parallelism: 1 });
    const stronger = await hash('x', { memoryCost: 32_768, timeCost: 3, parallelism: 1 });
    expect(hasher.needsRehash(weaker)).toBe(true);
    expect(hasher.needsRehash(fewerPasses)).toBe(true);
    expect(hasher.needsRehash(stronger.replace('$argon2id$', '$argon2i$'))).toBe(true);
    expect(hasher.needsRehash('$2b$10$abcdefghijklmnopqrstuv')).toBe(true);
    expect(hasher.needsRehash(stronger)).toBe(false);
    expect(hasher.needsRehash(await hasher.hash('x', 'ada'))).toBe(false);
  });

  it('still verifies a weaker hash, so that it can be upgraded', async () => {
    const weaker = await hash('old password', { memoryCost: 8_192, timeCost: 1 });
    await expect(hasher.verify(weaker, 'old password', 'ada')).resolves.toBe(true);
  });

  it('accepts no password for the dummy hash, which costs as much as any other hash', async () => {
    expect(hasher.needsRehash(hasher['dummyHash'])).toBe(false);
    await expect(hasher.verifyDummy('whatever', 'ada')).resolves.toBe(false);
  });

  it('rejects a stored hash that is not one', async () => {
    await expect(hasher.verify('not a hash', 'x', 'ada')).rejects.toThrow();
  });

  it('lets a bounded number wait, refuses the rest, and serves again afterwards', async () => {
    const small = new Passwords({ parallel: 1, maxWaiting: 2 });
    const calls = await Promise.allSettled(Array.from({ length: 5 }, () => small.hash('x', 'ada')));
    expect(calls.map((call) => call.status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect(calls[3]).toMatchObject({ reason: expect.any(OverloadedError) });
    await expect(small.hash('again', 'ada')).resolves.toContain('$argon2id$');
  });

  it('refuses the greedy alone, however many they ask for, and serves another at the next turn', async () => {
    // The hashes run one after the other, because it is undefined which of two threads ends first.
    const shared = new Passwords({ parallel: 1, maxWaitingOfShare: 4 });
    const order: string[] = [];
    const greedy = Array.from({ length: 300 }, () => shared.hash('x', 'greedy').then(() => order.push('greedy')));
    const other = shared.hash('x', 'other').then(() => order.push('other'));
    const outcomes = await Promise.allSettled(greedy);
    await other;
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(295);
    expect(refused[0]).toMatchObject({ reason: expect.any(KeyOverloadedError) });
    expect(order.indexOf('other')).toBeLessThanOrEqual(2);
  });

  it('gives its place back when the work fails', async () => {
    const small = new Passwords({ parallel: 1, maxWaiting: 0 });
    for (let i = 0; i < 3; i++)
      await expect(small.verify('broken', 'x', 'ada')).rejects.not.toBeInstanceOf(OverloadedError);
    await expect(small.hash('x', 'ada')).resolves.toContain('$argon2id$');
  });
});
