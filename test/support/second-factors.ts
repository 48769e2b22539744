import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import type { Test } from 'supertest';
import type { ProofMethod } from '../../src/modules/identity/proof/index.js';
import { type Actor, PASSWORD, signedIn } from './actors.js';
import type { TestApp } from './app.js';
import type { CeremonyOptions } from './authenticator.js';
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

export interface Guarded extends Actor {
  /** The secret in Base32. */
  readonly secret: string;
  readonly recoveryCodes: string[];
}

/** Returns the code of an authenticator app, `steps` 30-second steps from now. */
export function totpCode(secret: string, steps = 0): string {
  return totpAt(secret, Date.now() / 1000 + steps * 30);
}

/** Makes used codes valid again, as if their steps had passed. */
export async function forgetUsedCodes(app: TestApp, userId: string): Promise<void> {
  await app.rows('UPDATE totp_factors SET last_used_step = NULL WHERE user_id = $1', [userId]);
}

export function post(app: TestApp, path: string, body: object = {}, bearer?: string): Test {
  const request = app.request().post(path);
  return (bearer === undefined ? request : request.set('Authorization', bearer)).send(body);
}

export function get(app: TestApp, path: string, bearer: string): Test {
  return app.request().get(path).set('Authorization', bearer);
}

/** Sends the form-encoded login with the right password. */
export function signIn(app: TestApp, email: string, fields: Record<string, string | undefined> = {}): Test {
  return app
    .request()
    .post('/v1/auth/login')
    .type('form')
    .send({ username: email, password: PASSWORD, ...fields });
}

export async function challengeFor(app: TestApp, email: string): Promise<Challenge> {
  return (await signIn(app, email).expect(200)).body as Challenge;
}

/** Creates a signed-in account with an authenticator app. None of its codes counts as used. */
export async function guardedByTotp(app: TestApp): Promise<Guarded> {
  const actor = await signedIn(app);
  const setup = await post(app, '/v1/account/two-factor/setup', { current_password: PASSWORD }, actor.bearer).expect(
    200,
  );
  const { secret, recovery_codes: recoveryCodes } = setup.body as { secret: string; recovery_codes: string[] };
  await post(app, '/v1/account/two-factor/enable', { code: totpCode(secret) }, actor.bearer).expect(200);
  await forgetUsedCodes(app, actor.id);
  return { ...actor, secret, recoveryCodes };
}

/**
 * Returns a token of POST /v1/auth/step-up for a session that has shown the proofs. The default is all the proof that a
 * change can require.
 */
export async function stepUpOf(
  app: TestApp,
  bearer: string,
  methods: readonly ProofMethod[] = ['password', 'totp'],
): Promise<string> {
  const { sub, sid } = decodeJwt(bearer.replace('Bearer ', ''));
  const token = randomUUID();
  await app.rows(
    `INSERT INTO step_up_tokens (token_hash, user_id, session_id, methods, expires_at)
     VALUES (sha256(convert_to($1, 'UTF8')), $2, $3, $4, now() + interval '5 minutes')`,
    [token, sub, sid, methods],
  );
  return token;
}

/** Returns the options of a registration, with all the proof that they can require. */
export async function registrationOptions(app: TestApp, bearer: string): Promise<Ceremony> {
  const answer = await post(app, '/v1/account/passkeys/register/options', {}, bearer)
    .set('X-Step-Up-Token', await stepUpOf(app, bearer))
    .expect(200);
  return answer.body as Ceremony;
}

export async function eventTypes(app: TestApp, userId: string): Promise<string[]> {
  const rows = await app.rows<{ type: string }>('SELECT type FROM security_events WHERE user_id = $1 ORDER BY id', [
    userId,
  ]);
  return rows.map((row) => row.type);
}
