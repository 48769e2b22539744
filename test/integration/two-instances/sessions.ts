import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { type Actor, login, PASSWORD, registered, signedIn } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { failedSignIns } from '../../support/failed-sign-ins.js';
import { tokenIn, waitForMails } from '../../support/outbox.js';
import type { Instances } from './instances.js';

interface Tokens {
  access_token: string;
  refresh_token: string;
}

export function describeSessions(instances: () => Instances): void {
  describe('a session', () => {
    let app: TestApp;
    /** Another instance of the service. */
    let second: TestApp;

    beforeAll(() => {
      ({ app, second } = instances());
    });

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

    const untilRefused = async (send: () => PromiseLike<{ status: number }>): Promise<void> => {
      const statuses: number[] = [];
      while (statuses.at(-1) !== 401 && statuses.length < 500) statuses.push((await send()).status);
      expect(statuses.at(-1)).toBe(401);
    };

    it('gets the same next refresh token, which is valid, from 20 parallel refreshes on two instances', async () => {
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
    });

    it('ends on another instance of the service when its owner signs out', async () => {
      const actor = await registered(app);
      const onSecond = () => second.request().get('/v1/auth/me').set('Authorization', actor.bearer);
      await onSecond().expect(200);
      await app.request().post('/v1/auth/logout').send({ refresh_token: actor.refreshToken }).expect(200);
      await untilRefused(onSecond);
    });

    it('ends on another instance of the service when the password is reset', async () => {
      const actor = await registered(app);
      const onSecond = () => second.request().get('/v1/auth/me').set('Authorization', actor.bearer);
      await onSecond().expect(200);
      const reset = '/v1/auth/password-reset';
      await app.request().post(`${reset}/request`).send({ email: actor.email }).expect(200);
      const token = tokenIn((await waitForMails(app.dataDir, actor.email, 2)).at(-1) as never);
      const password = 'difference-engine-no-2';
      await app.request().post(`${reset}/confirm`).send({ token, password }).expect(200);
      await untilRefused(onSecond);
    });

    it('ends on another instance of the service when it is revoked', async () => {
      const keeper = await signedIn(app);
      const goner = await login(app, keeper.email);
      const onSecond = ({ bearer }: Actor) => second.request().get('/v1/auth/me').set('Authorization', bearer);
      await onSecond(goner).expect(200);
      const id = decodeJwt(goner.accessToken).sid as string;
      await app.request().post(`/v1/auth/sessions/${id}/revoke`).set('Authorization', keeper.bearer).expect(200);
      await untilRefused(() => onSecond(goner));
      await onSecond(keeper).expect(200);
    });

    it('ends on another instance of the service when the account is deleted', async () => {
      const actor = await signedIn(app);
      const onSecond = () => second.request().get('/v1/auth/me').set('Authorization', actor.bearer);
      await onSecond().expect(200);
      const remove = app.request().post('/v1/account/delete').set('Authorization', actor.bearer);
      await remove.send({ current_password: PASSWORD }).expect(200);
      await untilRefused(onSecond);
    });

    it('has access tokens that live as long as ACCESS_TOKEN_TTL_SECONDS says', async () => {
      const short = await createApiApp({ env: { ACCESS_TOKEN_TTL_SECONDS: '10' }, databaseUrl: app.databaseUrl });
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

  describe('an address with wrong passwords', () => {
    it('is locked after the 30th of parallel guesses, on all instances together', async () => {
      const { app, second } = instances();
      const tryPassword = (email: string, password: string, on = app) =>
        on.request().post('/v1/auth/login').type('form').send({ username: email, password });
      const { email } = await signedIn(app);
      await failedSignIns(app, email, 20);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, one) => tryPassword(email, `wrong-guess-${one}`, one % 2 === 0 ? app : second)),
      );
      expect(answers.filter((answer) => answer.status === 401)).toHaveLength(10);
      expect(answers.filter((answer) => answer.status === 429)).toHaveLength(30);
      await tryPassword(email, PASSWORD, second).expect(429, { detail: 'Too many failed sign-in attempts' });
    });
  });
}
