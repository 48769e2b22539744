import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, randomEmail, registered } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { tokenIn, waitForMails } from '../../support/outbox.js';
import { startSmtpServer } from '../../support/smtp.js';

const NEW_PASSWORD = 'difference-engine-no-2';

describe('a password reset', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  it('ends the sessions that another instance of the service remembers', async () => {
    const second = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
    try {
      const actor = await registered(app);
      const onSecond = () => second.request().get('/v1/auth/me').set('Authorization', actor.bearer);
      await onSecond().expect(200);
      await app.request().post('/v1/auth/password-reset/request').send({ email: actor.email }).expect(200);
      const token = tokenIn((await waitForMails(app.dataDir, actor.email, 2)).at(-1) as never);
      await app.request().post('/v1/auth/password-reset/confirm').send({ token, password: NEW_PASSWORD }).expect(200);
      const statuses: number[] = [];
      while (statuses.at(-1) !== 401 && statuses.length < 500) statuses.push((await onSecond()).status);
      expect(statuses.at(-1)).toBe(401);
    } finally {
      await second.close();
    }
  });
});

describe('a service with SMTP_URL', () => {
  it('mails what an account needs, from its registration to a new password', async () => {
    const smtp = await startSmtpServer();
    const app = await createTestApp({ env: { SMTP_URL: smtp.url, MAIL_FROM: 'Service <no-reply@service.example>' } });
    try {
      const email = randomEmail();
      const post = (path: string, body: object) => app.request().post(path).send(body);
      await post('/v1/auth/register', { email, password: PASSWORD }).expect(201);
      const [verification] = await smtp.mailsTo(email, 1);
      expect(verification).toMatchObject({ from: { name: 'Service', address: 'no-reply@service.example' } });
      expect(verification?.html).toBeUndefined();
      await post('/v1/auth/verify-email', { email, token: tokenIn(verification as never) }).expect(200);
      await post('/v1/auth/password-reset/request', { email }).expect(200);
      const [, reset] = await smtp.mailsTo(email, 2);
      expect(reset?.subject).toBe('Choose a new password');
      await post('/v1/auth/password-reset/confirm', { token: tokenIn(reset as never), password: NEW_PASSWORD }).expect(
        200,
      );
      await app
        .request()
        .post('/v1/auth/login')
        .type('form')
        .send({ username: email, password: NEW_PASSWORD })
        .expect(200);
      expect((await smtp.mailsTo(email, 3)).at(-1)?.subject).toBe('Your password was reset');
    } finally {
      await app.close();
      await smtp.close();
    }
  });

  it('answers as usual while the mail server is away', async () => {
    const smtp = await startSmtpServer();
    await smtp.close();
    const app = await createTestApp({ env: { SMTP_URL: smtp.url } });
    try {
      const email = randomEmail();
      await app.request().post('/v1/auth/register').send({ email, password: PASSWORD }).expect(201);
      await app.request().post('/v1/auth/password-reset/request').send({ email }).expect(200);
    } finally {
      await app.close();
    }
  });
});
