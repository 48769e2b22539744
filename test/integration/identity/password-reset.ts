import { describe, expect, it } from '@jest/globals';
import { PASSWORD, randomEmail } from '../../support/actors.js';
import { createApiApp } from '../../support/app.js';
import { tokenIn } from '../../support/outbox.js';
import { startSmtpServer } from '../../support/smtp.js';

const NEW_PASSWORD = 'difference-engine-no-2';

describe('a service with SMTP_URL', () => {
  it('mails what an account needs, from its registration to a new password', async () => {
    const smtp = await startSmtpServer();
    const app = await createApiApp({ env: { SMTP_URL: smtp.url, MAIL_FROM: 'Service <no-reply@service.example>' } });
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
    const app = await createApiApp({ env: { SMTP_URL: smtp.url } });
    try {
      const email = randomEmail();
      await app.request().post('/v1/auth/register').send({ email, password: PASSWORD }).expect(201);
      await app.request().post('/v1/auth/password-reset/request').send({ email }).expect(200);
    } finally {
      await app.close();
    }
  });
});
