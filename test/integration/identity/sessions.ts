import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader, importPKCS8, SignJWT } from 'jose';
import { DataSource } from 'typeorm';
import { currentContext } from '../../../src/platform/telemetry/request-context.js';
import { type Actor, PASSWORD, signedIn } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';

/** Returns a new key that signs access tokens. */
export const pem = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** @param oldKey the key with which the service signs access tokens */
export function describeSessions(service: () => TestApp, oldKey: string): void {
  describe('a session', () => {
    let app: TestApp;

    beforeAll(() => {
      app = service();
    });

    const me = ({ bearer }: Pick<Actor, 'bearer'>) => app.request().get('/v1/auth/me').set('Authorization', bearer);

    it('costs the first request one query, and further ones none while the service remembers it', async () => {
      const actor = await signedIn(app);
      // A new session that nothing has asked about yet.
      const { body } = await app
        .request()
        .post('/v1/auth/login')
        .type('form')
        .send({ username: actor.email, password: PASSWORD })
        .expect(200);
      const bearer = `Bearer ${(body as { access_token: string }).access_token}`;
      const source = app.nest.get(DataSource);
      const createQueryRunner = source.createQueryRunner.bind(source);
      // Those of the jobs of this process, which come when they are due, are not ours.
      const asked = new Map<string | undefined, number>();
      const queries = jest.spyOn(source, 'createQueryRunner').mockImplementation((mode) => {
        const id = currentContext()?.requestId;
        asked.set(id, (asked.get(id) ?? 0) + 1);
        return createQueryRunner(mode);
      });
      try {
        const checks = ['first', 'second', 'third'];
        for (const id of checks) await me({ bearer }).set('X-Request-ID', id).expect(200);
        const counts = checks.map((id) => asked.get(id));
        // Two of each are the reads of the account itself and of its factors.
        expect(counts).toEqual([3, 2, 2]);
      } finally {
        queries.mockRestore();
      }
    });
  });

  describe('a key that signs access tokens', () => {
    it('verifies tokens after a newer key was added, until it is removed', async () => {
      const newKey = pem();
      const before = service();
      const share = { databaseUrl: before.databaseUrl, dataDir: before.dataDir };
      const during = await createApiApp({ ...share, env: { JWT_PRIVATE_KEYS: `${newKey}\n${oldKey}` } });
      const after = await createApiApp({ ...share, env: { JWT_PRIVATE_KEYS: newKey } });
      try {
        const actor = await signedIn(before);
        const check = (app: TestApp, bearer: string) => app.request().get('/v1/auth/me').set('Authorization', bearer);
        const kidOf = (token: string) => decodeProtectedHeader(token).kid;
        const kidsOf = async (app: TestApp) =>
          ((await app.request().get('/v1/auth/jwks').expect(200)).body as { keys: { kid: string }[] }).keys.map(
            ({ kid }) => kid,
          );

        await check(during, actor.bearer).expect(200);
        const { body } = await during
          .request()
          .post('/v1/auth/refresh')
          .send({ refresh_token: actor.refreshToken })
          .expect(200);
        const { access_token: fresh } = body as { access_token: string };
        expect(kidOf(fresh)).not.toBe(kidOf(actor.accessToken));
        expect(await kidsOf(during)).toEqual([kidOf(fresh), kidOf(actor.accessToken)]);
        expect(await kidsOf(before)).toEqual([kidOf(actor.accessToken)]);

        await check(during, `Bearer ${fresh}`).expect(200);
        await check(before, `Bearer ${fresh}`).expect(401);
        await check(after, `Bearer ${fresh}`).expect(200);
        await check(after, actor.bearer).expect(401, { detail: 'Not authenticated' });
        expect(JSON.stringify((await during.request().get('/v1/auth/jwks')).body)).not.toContain('"d"');
      } finally {
        await after.close();
        await during.close();
      }
    });

    it('signs tokens that are valid for this issuer, audience and purpose alone, and that expire', async () => {
      const app = service();
      const actor = await signedIn(app);
      const claims = decodeJwt(actor.accessToken);
      const header = decodeProtectedHeader(actor.accessToken) as { alg: string; kid: string; typ: string };
      const signer = await importPKCS8(oldKey, 'ES256');
      const check = async (claimsOf: object, headerOf: object) => {
        const token = await new SignJWT({ ...claims, ...claimsOf })
          .setProtectedHeader({ ...header, ...headerOf })
          .sign(signer);
        return (await app.request().get('/v1/auth/me').set('Authorization', `Bearer ${token}`)).status;
      };
      expect(await check({}, {})).toBe(200);
      const past = Math.floor(Date.now() / 1000) - 1;
      const refused: [object, object][] = [
        [{ iss: 'https://elsewhere.example' }, {}],
        [{ aud: 'another-audience' }, {}],
        [{ exp: past, iat: past - 900 }, {}],
        [{ exp: undefined }, {}],
        [{ sub: undefined }, {}],
        [{ sid: undefined }, {}],
        [{ iat: undefined }, {}],
        [{ nbf: past + 3600 }, {}],
        [{ sub: '0199f3a1-0000-7000-8000-000000000000' }, {}],
        [{ sid: '0199f3a1-0000-7000-8000-000000000000' }, {}],
        [{}, { typ: 'JWT' }],
        [{}, { typ: undefined }],
        [{}, { kid: undefined }],
        [{}, { kid: 'another' }],
      ];
      for (const [claimsOf, headerOf] of refused)
        expect([claimsOf, headerOf, await check(claimsOf, headerOf)]).toEqual([claimsOf, headerOf, 401]);
    });
  });
}
