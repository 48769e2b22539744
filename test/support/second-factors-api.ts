import { decodeJwt } from 'jose';
import type { Test } from 'supertest';
import { type CeremonyOptions, SoftwareAuthenticator } from './authenticator.js';
import { eventually } from './eventually.js';
import { capturedMails } from './service-mail.js';
import { account, type Account, api, PASSWORD } from './service.js';
import { forgetUsedCodes, stepUpToken } from './sql-builders/identity.js';
import { totpAt } from './totp.js';

export interface Challenge {
  mfa_required: true;
  challenge_token: string;
  challenge_expires_in: number;
  methods: string[];
}

export interface Ceremony {
  challenge_token: string;
  options: CeremonyOptions & Record<string, unknown>;
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  trusted_device_token?: string;
}

export interface Guarded extends Account {
  /** The secret in Base32. */
  readonly secret: string;
  readonly recoveryCodes: string[];
}

/** Returns the code of an authenticator app, `steps` 30-second steps from now. */
export function totpCode(secret: string, steps = 0): string {
  return totpAt(secret, Date.now() / 1000 + steps * 30);
}

/** Returns a code in the full-width characters of East Asian input methods. */
export function fullWidth(code: string): string {
  return code.replaceAll(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0));
}

/** Returns a code that is never valid in this step or in one of the two steps before and after it. */
export function wrongCode(secret: string): string {
  const near = new Set([-2, -1, 0, 1, 2].map((steps) => totpCode(secret, steps)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.has(code)) ?? '666666';
}

/** Sends the form-encoded login with the right password. */
export function signIn(email: string, fields: Record<string, string | undefined> = {}): Test {
  return api
    .post('/v1/auth/login')
    .type('form')
    .send({ username: email, password: PASSWORD, ...fields });
}

/** Opens another session of an account without a second factor. */
export async function anotherSession(of: Account): Promise<Account> {
  const { access_token: accessToken, refresh_token: refreshToken } = (await signIn(of.email).expect(200))
    .body as Tokens;
  return { ...of, accessToken, refreshToken };
}

export async function challengeFor(email: string): Promise<Challenge> {
  return (await signIn(email).expect(200)).body as Challenge;
}

/** Creates a signed-in account with an authenticator app. None of its codes counts as used. */
export async function guardedByTotp(): Promise<Guarded> {
  const user = await account();
  const asUser = api.as(user);
  const setup = await asUser.post('/v1/account/two-factor/setup', { current_password: PASSWORD }).expect(200);
  const { secret, recovery_codes: recoveryCodes } = setup.body as { secret: string; recovery_codes: string[] };
  await asUser.post('/v1/account/two-factor/enable', { code: totpCode(secret) }).expect(200);
  await forgetUsedCodes(user.id);
  return { ...user, secret, recoveryCodes };
}

/** Returns a step-up token of the session with all the proof that a change can require. */
export async function fullStepUpToken({ accessToken }: Account): Promise<string> {
  const { sub: userId = '', sid: sessionId } = decodeJwt<{ sid: string }>(accessToken);
  return stepUpToken({ userId, sessionId }, ['password', 'totp']);
}

/** Returns the options of a registration, with all the proof that they can require. */
export async function registrationOptions(user: Account): Promise<Ceremony> {
  const answer = await api
    .as(user)
    .post('/v1/account/passkeys/register/options', {})
    .set('X-Step-Up-Token', await fullStepUpToken(user))
    .expect(200);
  return answer.body as Ceremony;
}

export interface AddedPasskey {
  readonly authenticator: SoftwareAuthenticator;
  readonly id: string;
  readonly recoveryCodes: string[] | undefined;
}

export async function addPasskey(
  user: Account,
  authenticator = new SoftwareAuthenticator(),
  name = 'Laptop',
): Promise<AddedPasskey> {
  const { options } = await registrationOptions(user);
  const body = { credential: authenticator.create(options), name };
  const answer = await api.as(user).post('/v1/account/passkeys/register/verify', body).expect(201);
  const { id, recovery_codes: recoveryCodes } = answer.body as { id: string; recovery_codes?: string[] };
  return { authenticator, id, recoveryCodes };
}

/** Returns the session of an access token. */
export async function sessionOf(accessToken: string): Promise<{ id: string; method: string } | undefined> {
  const { body } = await api.as({ accessToken }).get('/v1/auth/sessions').expect(200);
  return (body as { id: string; method: string; current: boolean }[]).find(({ current }) => current);
}

/** Returns the event types in the security log of an account, the newest first. */
export async function securityEventTypes(user: Account): Promise<string[]> {
  const { body } = await api.as(user).get('/v1/account/security-events', { limit: 100 }).expect(200);
  return (body as { items: { type: string }[] }).items.map(({ type }) => type);
}

/** Waits until an address has a mail with this subject. */
export async function mailAbout(address: string, subject: string): Promise<void> {
  await eventually(
    async () => (await capturedMails(address)).map((mail) => mail.subject),
    (subjects) => subjects.includes(subject),
    (subjects) => `no mail "${subject}" for ${address} among ${JSON.stringify(subjects)}`,
  );
}

/** Counts the answers by status and detail. */
export function tally(answers: readonly { status: number; body: unknown }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const detail = (body as { detail?: unknown }).detail;
    const key = typeof detail === 'string' ? `${status} ${detail}` : String(status);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
