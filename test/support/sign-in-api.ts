import { decodeJwt } from 'jose';
import type { Email } from 'postal-mime';
import type { Test } from 'supertest';
import { eventually } from './eventually.js';
import { capturedMails, mailsTo, tokenIn } from './service-mail.js';
import { account, type Account, api, PASSWORD, randomEmail } from './service.js';
import { pendingNotices } from './sql-builders/sign-in.js';

export interface SecurityEvent {
  id: string;
  type: string;
  ip: string | null;
  user_agent: string | null;
  created_at: string;
  detail: Record<string, unknown>;
}

export function register(email: string, password = PASSWORD): Test {
  return api.post('/v1/auth/register', { email, password, name: 'Ada' });
}

/** Sends the form-encoded login. */
export function signIn(email: string, password = PASSWORD): Test {
  return api.post('/v1/auth/login').type('form').send({ username: email, password });
}

export function refresh(refreshToken: string): Test {
  return api.post('/v1/auth/refresh', { refresh_token: refreshToken });
}

/** Opens a new session of an account. */
export async function login(email: string, password = PASSWORD): Promise<Account> {
  const { body } = await signIn(email, password).expect(200);
  const { access_token: accessToken, refresh_token: refreshToken } = body as {
    access_token: string;
    refresh_token: string;
  };
  return { id: decodeJwt(accessToken).sub ?? '', email, accessToken, refreshToken };
}

/** Registers an account, confirms its address and signs in, all over HTTP. The address then has received one mail. */
export async function registered(email = randomEmail()): Promise<Account> {
  await api.post('/v1/auth/register', { email, password: PASSWORD }).expect(201);
  await api.post('/v1/auth/verify-email', { email, token: await mailedToken(email) }).expect(200);
  return login(email);
}

/** Returns the id of the session of an access token. */
export function sessionIdOf({ accessToken }: Pick<Account, 'accessToken'>): string {
  return decodeJwt<{ sid: string }>(accessToken).sid;
}

/** Returns the security log of an account as its owner reads it, the newest event first. */
export async function securityEvents(of: Pick<Account, 'accessToken'>): Promise<SecurityEvent[]> {
  const { body } = await api.as(of).get('/v1/account/security-events', { limit: 100 }).expect(200);
  return (body as { items: SecurityEvent[] }).items;
}

/** Waits until an address has at least `count` mails with this subject. The oldest is first. */
export function mailsAbout(address: string, subject: string, count = 1): Promise<Email[]> {
  return eventually(
    async () => (await capturedMails(address)).filter((mail) => mail.subject === subject),
    ({ length }) => length >= count,
    ({ length }) => `${address} has ${length} of ${count} mails "${subject}"`,
  );
}

/** Waits until an address has `count` mails. @returns the token in the last of these mails */
export async function mailedToken(address: string, count = 1): Promise<string> {
  const mail = (await mailsTo(address, count))[count - 1];
  if (mail === undefined) throw new Error(`${address} has no mail number ${count}`);
  return tokenIn(mail);
}

/**
 * Waits until the service has processed all mail requests that it answered before. The service processes them after the
 * answer, in order and a few at a time, so this function requests two more mails, one after the other, and waits for
 * both.
 */
export async function mailRequestsHandled(): Promise<void> {
  for (let n = 0; n < 2; n += 1) {
    const { email } = await account();
    await api.post('/v1/auth/password-reset/request', { email }).expect(200);
    await mailsTo(email);
  }
}

/** Waits until an account was mailed about everything in its security log. */
export async function noticesSent({ id }: Pick<Account, 'id'>): Promise<void> {
  await eventually(
    () => pendingNotices(id),
    (count) => count === 0,
    (count) => `${count} mails about an account are still to be sent`,
  );
}
