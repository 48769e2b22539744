import { createHmac, generateKeyPairSync } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { type JWTPayload, SignJWT } from 'jose';
import passport from 'passport';
import { AccessTokenStrategy } from './access-token.strategy.js';
import { signingKeyOf } from './signing-keys.js';

const pem = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('the verification of access tokens', () => {
  const [key, other] = [signingKeyOf(pem()), signingKeyOf(pem())];
  const strategy = new AccessTokenStrategy(new Map([[key.kid, key.publicKey]]));
  const elsewhere = new AccessTokenStrategy(new Map([[other.kid, other.publicKey]]));
  afterAll(() => {
    for (const { name } of [strategy, elsewhere]) passport.unuse(name);
  });

  const HEADER = { alg: 'ES256', typ: 'at+jwt', kid: key.kid };
  const CLAIMS: JWTPayload = {
    sub: 'u',
    sid: 's',
    iat: 1_000,
    exp: 1_900,
    iss: 'operational-event-service',
    aud: 'operational-event-service/api',
  };
  const signed = (claims: JWTPayload, header: object = {}, by = key): Promise<string> =>
    new SignJWT({ ...CLAIMS, ...claims })
      .setProtectedHeader({ ...HEADER, ...header })
      .sign(by.privateKey, { crit: { unheard: true } });
  const read = (token: string, reader = strategy) => reader.claimsOf({ headers: { authorization: `Bearer ${token}` } });

  it('says whose a token is that one of our keys signed, long after its end too', async () => {
    const token = await signed({});
    expect(await read(token)).toEqual({ userId: 'u', sessionId: 's', expiresAt: 1_900 });
    expect(await read(token, elsewhere)).toBeNull();
  });

  it.each<[string, JWTPayload, object]>([
    ['no end', { exp: undefined }, {}],
    ['an end that is no number', { exp: '2090' as unknown as number }, {}],
    ['no time of issue', { iat: undefined }, {}],
    ['no subject', { sub: undefined }, {}],
    ['a subject that is no text', { sub: 7 as unknown as string }, {}],
    ['no session', { sid: undefined }, {}],
    ['no issuer', { iss: undefined }, {}],
    ['another issuer', { iss: 'https://elsewhere.example' }, {}],
    ['no audience', { aud: undefined }, {}],
    ['another audience', { aud: ['another'] }, {}],
    ['a beginning ahead', { nbf: 9_999_999_999 }, {}],
    ['another type', {}, { typ: 'JWT' }],
    ['no type', {}, { typ: undefined }],
    ['no key', {}, { kid: undefined }],
    ['a key nobody has', {}, { kid: 'another' }],
    ['a critical header nobody knows', {}, { crit: ['unheard'], unheard: 1 }],
  ])('refuses a token with %s', async (_, claims, header) => {
    expect(await read(await signed(claims, header))).toBeNull();
  });

  it('refuses signatures of other keys and other algorithms', async () => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const publicPem = key.publicKey.export({ type: 'spki', format: 'pem' });
    const input = `${part({ ...HEADER, alg: 'HS256' })}.${part(CLAIMS)}`;
    const tokens = {
      'by another key': await signed({}, {}, other),
      'by the public key': `${input}.${createHmac('sha256', publicPem).update(input).digest('base64url')}`,
      'by nobody': `${part({ ...HEADER, alg: 'none' })}.${part(CLAIMS)}.`,
      'of no length': `${part(HEADER)}.${part(CLAIMS)}.AAAA`,
      'of a header that is none': `AAAA.${part(CLAIMS)}.AAAA`,
      'of claims that are none': `${part(HEADER)}.AAAA.AAAA`,
      'of one part': 'AAAA',
    };
    for (const [which, token] of Object.entries(tokens)) expect([which, await read(token)]).toEqual([which, null]);
  });

  it('remembers what it has verified, and neither what is like it nor for others', async () => {
    const token = await signed({ sid: 'remembered' });
    const first = await read(token);
    expect(first).toEqual({ userId: 'u', sessionId: 'remembered', expiresAt: 1_900 });
    expect(await read(token)).toBe(first);
    const [head = '', claims = '', signature = ''] = token.split('.');
    const others = {
      'another signature': [head, claims, signature.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'))],
      'the signature of another token': [head, claims, (await signed({ sid: 'another' })).split('.')[2]],
      'other claims': [head, claims.replace(/.$/, (letter) => (letter === 'A' ? 'B' : 'A')), signature],
      'no signature': [head, claims, ''],
      'more behind it': [head, claims, `${signature}A`],
    };
    for (const [which, parts] of Object.entries(others))
      expect([which, await read(parts.join('.'))]).toEqual([which, null]);
    expect(await read(token, elsewhere)).toBeNull();
  });

  it('has a name of its own in the process for each application', () => {
    expect(strategy.name).not.toBe(elsewhere.name);
  });
});
