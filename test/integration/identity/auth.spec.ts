import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { registered, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';

interface Tokens {
  access_token: string;
  refresh_token: string;
}

describe('a session', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  const refresh = (token: string) => app.request().post('/v1/auth/refresh').send({ refresh_token: token });
  const me = (authorization: string) => app.request().get('/v1/auth/me').set('Authorization', authorization);
  const livingTokens = async (userId: string): Promise<number> => {
    const living = await app.rows(
      `SELECT 1 FROM refresh_tokens r JOIN sessions s ON s.id = r.session_id
       WHERE s.user_id = $1 AND r.used_at IS NULL AND r.superseded_at IS NULL`,
      [userId],
    );
    return living.length;
  };

  it('gets the same next refresh token, which is valid, from 20 parallel refreshes on two instances', async () => {
    const second = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
    try {
      const actor = await signedIn(app);
      const instances = [app, second];
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (instances[n % 2] ?? app).request().post('/v1/auth/refresh').send({ refresh_token: actor.refreshToken }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
      const tokens = new Set(answers.map(({ body }) => (body as Tokens).refresh_token));
      expect(tokens.size).toBe(1);
      expect(await livingTokens(actor.id)).toBe(1);
      for (const token of tokens) await refresh(token).expect(200);
    } finally {
      await second.close();
    }
  });

  it('ends on another instance of the service when its owner signs out', async () => {
    const second = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
    try {
      const actor = await registered(app);
      const onSecond = () => second.request().get('/v1/auth/me').set('Authorization', actor.bearer);
      await onSecond().expect(200);
      await app.request().post('/v1/auth/logout').send({ refresh_token: actor.refreshToken }).expect(200);
      const statuses: number[] = [];
      while (statuses.at(-1) !== 401 && statuses.length < 500) statuses.push((await onSecond()).status);
      expect(statuses.at(-1)).toBe(401);
    } finally {
      await second.close();
    }
  });

  it('has access tokens that live as long as ACCESS_TOKEN_TTL_SECONDS says', async () => {
    const short = await createTestApp({ env: { ACCESS_TOKEN_TTL_SECONDS: '10' }, databaseUrl: app.databaseUrl });
    try {
      const actor = await registered(short);
      const { exp, iat } = decodeJwt(actor.accessToken);
      expect((exp ?? 0) - (iat ?? 0)).toBe(10);
      // Another instance has other keys of its own here, so a token of one means nothing to the other.
      await me(actor.bearer).expect(401);
    } finally {
      await short.close();
    }
  });
});
