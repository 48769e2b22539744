import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader, importPKCS8, SignJWT } from 'jose';
import { DataSource } from 'typeorm';
import { currentContext } from '../../../src/platform/telemetry/request-context.js';
import { type Actor, login, ownerWithProject, PASSWORD, registered, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { mailsTo, waitForMails } from '../../support/outbox.js';
import { securityEvents, securityEventTypes } from '../../support/security-events.js';

interface SessionRecord {
  id: string;
  current: boolean;
  user_agent: string | null;
}

describe('sessions', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  const call = (method: 'get' | 'post', path: string, { bearer }: Pick<Actor, 'bearer'>, on = app) =>
    on.request()[method](path).set('Authorization', bearer);
  const me = (actor: Pick<Actor, 'bearer'>, on = app) => call('get', '/v1/auth/me', actor, on);
  const list = async (actor: Pick<Actor, 'bearer'>): Promise<SessionRecord[]> =>
    (await call('get', '/v1/auth/sessions', actor).expect(200)).body as SessionRecord[];
  const revoke = (actor: Pick<Actor, 'bearer'>, id: string) => call('post', `/v1/auth/sessions/${id}/revoke`, actor);
  const sessionOf = ({ accessToken }: Actor): string => decodeJwt(accessToken).sid as string;
  const MISSING = { detail: 'Session not found' };

  describe('the list', () => {
    it('shows the living sessions of the account, newest first, and which one asks', async () => {
      const first = await signedIn(app);
      const second = await login(app, first.email);
      const expired = await login(app, first.email);
      const revoked = await login(app, first.email);
      await app.rows('UPDATE sessions SET expires_at = now() WHERE id = $1', [sessionOf(expired)]);
      await revoke(first, sessionOf(revoked)).expect(200);
      await signedIn(app);

      const sessions = await list(first);
      expect(sessions.map(({ id, current }) => [id, current])).toEqual([
        [sessionOf(second), false],
        [sessionOf(first), true],
      ]);
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(sessions[0]).toEqual({
        id: sessionOf(second),
        current: false,
        created_at: time,
        last_used_at: time,
        expires_at: time,
        ip: '127.0.0.1',
        user_agent: null,
        method: 'password',
      });
    });

    it('tells programs apart and moves the last use with each refresh', async () => {
      const { email, bearer } = await signedIn(app);
      const { body } = await app
        .request()
        .post('/v1/auth/login')
        .set('User-Agent', 'Browser/1.0')
        .type('form')
        .send({ username: email, password: PASSWORD })
        .expect(200);
      const before = (await list({ bearer }))[0] as SessionRecord & { last_used_at: string };
      expect(before.user_agent).toBe('Browser/1.0');
      const { refresh_token: refreshToken } = body as { refresh_token: string };
      await app.request().post('/v1/auth/refresh').send({ refresh_token: refreshToken }).expect(200);
      const after = (await list({ bearer }))[0] as SessionRecord & { last_used_at: string };
      expect(after.last_used_at > before.last_used_at).toBe(true);
    });
  });

  describe('revoking one', () => {
    it('ends it at once, leaves the others and answers a second time the same', async () => {
      const keeper = await signedIn(app);
      const goner = await login(app, keeper.email);
      await me(goner).expect(200);
      const answer = await revoke(keeper, sessionOf(goner)).expect(200);
      expect(answer.body).toEqual({ message: expect.any(String) });
      await me(goner).expect(401, { detail: 'Not authenticated' });
      await app
        .request()
        .post('/v1/auth/refresh')
        .send({ refresh_token: goner.refreshToken })
        .expect(401, { detail: 'Invalid refresh token' });
      await me(keeper).expect(200);
      expect((await revoke(keeper, sessionOf(goner)).expect(200)).body).toEqual(answer.body);
      const events = (await securityEvents(app, keeper.bearer)).filter(({ type }) => type === 'session_revoked');
      expect(events.map(({ detail }) => detail)).toEqual([{ session_id: sessionOf(goner) }]);
    });

    it('may be the current one', async () => {
      const actor = await signedIn(app);
      await revoke(actor, sessionOf(actor)).expect(200);
      await me(actor).expect(401);
    });

    it('tells nothing about sessions of others', async () => {
      const [actor, other] = [await signedIn(app), await signedIn(app)];
      await revoke(actor, sessionOf(other)).expect(404, MISSING);
      await revoke(actor, '0199f3a1-0000-7000-8000-000000000000').expect(404, MISSING);
      await me(other).expect(200);
      const { body } = await revoke(actor, 'mine').expect(422);
      expect((body as { detail: { loc: unknown }[] }).detail[0]?.loc).toEqual(['path', 'session_id']);
    });

    it('reaches another instance of the service', async () => {
      const second = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
      try {
        const keeper = await signedIn(app);
        const goner = await login(app, keeper.email);
        await me(goner, second).expect(200);
        await revoke(keeper, sessionOf(goner)).expect(200);
        const statuses: number[] = [];
        while (statuses.at(-1) !== 401 && statuses.length < 500) statuses.push((await me(goner, second)).status);
        expect(statuses.at(-1)).toBe(401);
        await me(keeper, second).expect(200);
      } finally {
        await second.close();
      }
    });
  });

  it('lets one session end all others of its account and no stranger’s', async () => {
    const keeper = await signedIn(app);
    const goners = [await login(app, keeper.email), await login(app, keeper.email)];
    const stranger = await signedIn(app);
    const revokeOthers = () => call('post', '/v1/auth/sessions/revoke-others', keeper);
    expect((await revokeOthers().expect(200)).body).toEqual({ message: expect.any(String), revoked: 2 });
    for (const goner of goners) await me(goner).expect(401);
    for (const living of [keeper, stranger]) await me(living).expect(200);
    expect((await revokeOthers().expect(200)).body).toMatchObject({ revoked: 0 });
    expect(await list(keeper)).toHaveLength(1);
    expect(await securityEventTypes(app, keeper.bearer)).toContain('other_sessions_revoked');
  });

  it('never trusts what it read before a revocation, however bearer checks and the revocation interleave', async () => {
    const keeper = await signedIn(app);
    for (let round = 0; round < 10; round += 1) {
      const goner = await login(app, keeper.email);
      const checks = Array.from({ length: 8 }, () => me(goner));
      await Promise.all([...checks, revoke(keeper, sessionOf(goner)).expect(200)]);
      await me(goner).expect(401);
    }
  });

  it('cost a bearer check one query, and none while they are remembered', async () => {
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

  describe('the security log', () => {
    it('has every act of signing in and out, with where it came from', async () => {
      const actor = await signedIn(app);
      await app
        .request()
        .post('/v1/auth/login')
        .type('form')
        .send({ username: actor.email, password: 'not-the-password' })
        .expect(401);
      const other = await login(app, actor.email);
      await app.request().post('/v1/auth/logout').send({ refresh_token: other.refreshToken }).expect(200);
      await app.backgroundDone();
      const types = await securityEventTypes(app, actor.bearer);
      expect(types.sort()).toEqual([
        'account_registered',
        'email_verified',
        'sign_in_failed',
        'signed_in',
        'signed_in',
        'signed_out',
      ]);
      for (const event of await securityEvents(app, actor.bearer)) expect(event.ip).toBe('127.0.0.1');
    });

    it('tells the owner about a program never seen before, once', async () => {
      const { email, bearer } = await registered(app);
      const signIn = () =>
        app
          .request()
          .post('/v1/auth/login')
          .set('User-Agent', 'Mozilla/5.0 (Android 16; Mobile; rv:146.0) Gecko/146.0 Firefox/146.0')
          .type('form')
          .send({ username: email, password: PASSWORD })
          .expect(200);
      await signIn();
      const mails = await waitForMails(app.dataDir, email, 2);
      expect(mails[1]?.subject).toBe('New sign-in to your account');
      expect(mails[1]?.text).toContain('Program: Firefox on Android');
      await signIn();
      expect((await securityEventTypes(app, bearer)).slice(0, 2)).toEqual(['signed_in', 'signed_in_new_device']);
      expect(await mailsTo(app.dataDir, email)).toHaveLength(2);
    });

    it('has the reuse of a refresh token, and the owner is told', async () => {
      const thief = await registered(app);
      const { body } = await app
        .request()
        .post('/v1/auth/refresh')
        .send({ refresh_token: thief.refreshToken })
        .expect(200);
      const next = (body as { refresh_token: string }).refresh_token;
      await app.request().post('/v1/auth/refresh').send({ refresh_token: next }).expect(200);
      await app
        .request()
        .post('/v1/auth/refresh')
        .send({ refresh_token: thief.refreshToken })
        .expect(401, { detail: 'Refresh token reuse detected' });
      const owner = await login(app, thief.email);
      const events = await securityEvents(app, owner.bearer);
      expect(events.find(({ type }) => type === 'refresh_token_reused')?.detail).toEqual({
        session_id: sessionOf(thief),
      });
      const mails = await waitForMails(app.dataDir, thief.email, 2);
      expect(mails[1]?.subject).toBe('A session of your account was ended');
    });
  });

  describe('bearer parsing', () => {
    it('takes an API key for no bearer and a bearer for no API key', async () => {
      const owner = await ownerWithProject(app);
      const refused = { detail: 'Not authenticated' };
      await me({ bearer: `Bearer ${owner.apiKey}` }).expect(401, refused);
      await app.request().get('/v1/usage/current').set('X-API-Key', owner.accessToken).expect(401, refused);
      await app.request().get('/v1/usage/current').set('Authorization', owner.bearer).expect(401, refused);
      await app.request().get('/v1/auth/me').set('X-API-Key', owner.apiKey).expect(401, refused);
      for (const header of ['Bearer', 'Bearer ', `bearer${owner.accessToken}`, `Bearer ${owner.accessToken} x`, ` `])
        await me({ bearer: header }).expect(401, refused);
    });
  });
});

describe('the keys that sign access tokens', () => {
  const pem = (): string =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

  it('rotate: the old key verifies beside the new one until it is taken away', async () => {
    const [oldKey, newKey] = [pem(), pem()];
    const before = await createTestApp({ env: { JWT_PRIVATE_KEYS: oldKey } });
    const share = { databaseUrl: before.databaseUrl, dataDir: before.dataDir };
    const during = await createTestApp({ ...share, env: { JWT_PRIVATE_KEYS: `${newKey}\n${oldKey}` } });
    const after = await createTestApp({ ...share, env: { JWT_PRIVATE_KEYS: newKey } });
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
      await before.close();
    }
  });

  it('make tokens for this issuer, audience and purpose alone, which expire', async () => {
    const key = pem();
    const app = await createTestApp({ env: { JWT_PRIVATE_KEYS: key } });
    try {
      const actor = await signedIn(app);
      const claims = decodeJwt(actor.accessToken);
      const header = decodeProtectedHeader(actor.accessToken) as { alg: string; kid: string; typ: string };
      const signer = await importPKCS8(key, 'ES256');
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
    } finally {
      await app.close();
    }
  });
});
