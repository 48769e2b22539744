import { randomUUID } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import type { Test } from 'supertest';
import { DataSource } from 'typeorm';
import { currentContext } from '../../../src/platform/telemetry/request-context.js';
import { type Actor, PASSWORD, randomEmail, registered, signedIn } from '../../support/actors.js';
import { createApiApp } from '../../support/app.js';
import { SoftwareAuthenticator } from '../../support/authenticator.js';
import { browse } from '../../support/browser.js';
import { document } from '../../support/document.js';
import { StreamClient } from '../../support/event-stream.js';
import { eventually } from '../../support/eventually.js';
import { OAuthClient } from '../../support/oauth-client.js';
import { mailsTo, tokenIn, waitForMails } from '../../support/outbox.js';
import {
  type Ceremony,
  type Challenge,
  forgetUsedCodes,
  get,
  type Guarded,
  guardedByTotp,
  post,
  registrationOptions,
  signIn,
  stepUpOf,
  type Tokens,
  totpCode,
} from '../../support/second-factors.js';
import { app, google, INTERNAL_TOKEN } from './policy-service.js';

const REQUIRED = { detail: 'Second factor required' };
const COMPANY = { detail: "Sign in with your company's provider" };
const ADMIN = 'root@acme.example';
const NEW_PASSWORD = 'another-horse-battery';

const atAcme = (): string => randomEmail().replace('example.com', 'acme.example');
const organizations = (bearer: string, on = app): Test => get(on, '/v1/organizations', bearer);
const disable = ({ bearer, secret }: Guarded): Test =>
  post(app, '/v1/account/two-factor/disable', { current_password: PASSWORD, code: totpCode(secret) }, bearer);

async function byGoogle(email?: string): Promise<string> {
  const { subject } = google.addPerson(email);
  const client = new OAuthClient(app, 'google');
  const { authorization_url, nonce, code_verifier } = await client.start();
  const { code = '', state = '', iss = '' } = (await browse(authorization_url, { subject })).parameters;
  const { body } = await client.login({ code, state, iss, nonce, code_verifier }).expect(200);
  return `Bearer ${(body as Tokens).access_token}`;
}

async function addPasskey({ bearer }: Actor): Promise<{ id: string; authenticator: SoftwareAuthenticator }> {
  const authenticator = new SoftwareAuthenticator();
  const { options } = await registrationOptions(app, bearer);
  const credential = authenticator.create(options);
  const body = { credential, name: 'Laptop' };
  const answer = await post(app, '/v1/account/passkeys/register/verify', body, bearer).expect(201);
  return { id: (answer.body as { id: string }).id, authenticator };
}

async function removePasskey({ bearer }: Actor, id: string): Promise<void> {
  const proof = await stepUpOf(app, bearer);
  await post(app, `/v1/account/passkeys/${id}/remove`, {}, bearer).set('X-Step-Up-Token', proof).expect(200);
}

/** Signs in with a passkey alone. @returns the bearer of the session */
async function passwordless(authenticator: SoftwareAuthenticator): Promise<string> {
  const asked = await post(app, '/v1/auth/passkey/passwordless/options').expect(200);
  const { challenge_token, options } = asked.body as Ceremony;
  const shown = { challenge_token, credential: authenticator.get(options) };
  const { body } = await post(app, '/v1/auth/passkey/passwordless/verify', shown).expect(200);
  return `Bearer ${(body as Tokens).access_token}`;
}

/** Runs requests with an id each. @returns how many statements or transactions each of them has begun */
async function statementsOf(requests: readonly (() => Test)[]): Promise<number[]> {
  const source = app.nest.get(DataSource);
  const createQueryRunner = source.createQueryRunner.bind(source);
  const counts = new Map<string | undefined, number>();
  const queries = jest.spyOn(source, 'createQueryRunner').mockImplementation((mode) => {
    const id = currentContext()?.requestId;
    counts.set(id, (counts.get(id) ?? 0) + 1);
    return createQueryRunner(mode);
  });
  try {
    const found: number[] = [];
    for (const request of requests) {
      const id = randomUUID();
      await request().set('X-Request-ID', id);
      await app.backgroundDone();
      found.push(counts.get(id) ?? 0);
    }
    return found;
  } finally {
    queries.mockRestore();
  }
}

describe('a deployment that requires a second factor', () => {
  it('signs a person without one in, who then may use the sign-in, the account itself and the set-up alone', async () => {
    const person = await registered(app);
    await get(app, '/v1/auth/me', person.bearer).expect(200);
    const isOpen = (path: string): boolean => /^\/v1\/(auth|account\/two-factor|account\/passkeys)(\/|$)/.test(path);
    let [refused, open] = [0, 0];
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { 'x-access': access }] of Object.entries(methods)) {
        if (/^(public|internal|provider|hook|api-key.*)$/.test(access)) continue;
        const route = path.replaceAll(/\{\w+\}/g, '0199f3a1-0000-7000-8000-000000000000');
        const answer = await app.request()[method as 'get'](route).set('Authorization', person.bearer);
        const found = { route: `${method} ${path}`, detail: (answer.body as typeof REQUIRED | null)?.detail };
        if (isOpen(path)) expect(found).not.toMatchObject(REQUIRED);
        else expect(found).toEqual({ route: found.route, ...REQUIRED });
        if (isOpen(path)) open += 1;
        else refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(150);
    expect(open).toBe(15);
    await post(app, '/v1/auth/logout', { refresh_token: person.refreshToken }).expect(200);
  });

  it('opens every session of the account when an authenticator is confirmed, and closes them when it is removed', async () => {
    const before = await signedIn(app);
    await organizations(before.bearer).expect(403, REQUIRED);
    const setUp = await post(app, '/v1/account/two-factor/setup', { current_password: PASSWORD }, before.bearer);
    const { secret, recovery_codes: recoveryCodes } = setUp.body as { secret: string; recovery_codes: string[] };
    await organizations(before.bearer).expect(403, REQUIRED);
    await post(app, '/v1/account/two-factor/enable', { code: '000000' }, before.bearer).expect(400);
    await organizations(before.bearer).expect(403, REQUIRED);
    await post(app, '/v1/account/two-factor/enable', { code: totpCode(secret) }, before.bearer).expect(200);
    await organizations(before.bearer).expect(200);
    await forgetUsedCodes(app, before.id);
    await disable({ ...before, secret, recoveryCodes }).expect(200);
    await organizations(before.bearer).expect(403, REQUIRED);
    await get(app, '/v1/auth/me', before.bearer).expect(200);
  });

  it('lets a person in by the challenge of the second factor, in a session of its own', async () => {
    const guarded = await guardedByTotp(app);
    const { challenge_token } = (await signIn(app, guarded.email).expect(200)).body as Challenge;
    const code = totpCode(guarded.secret);
    const { body } = await post(app, '/v1/auth/mfa/totp/verify', { challenge_token, code }).expect(200);
    await organizations(`Bearer ${(body as Tokens).access_token}`).expect(200);
  });

  it('takes a passkey as the second factor and as both, until the last one is removed', async () => {
    const person = await signedIn(app);
    await organizations(person.bearer).expect(403, REQUIRED);
    const { id, authenticator } = await addPasskey(person);
    await organizations(person.bearer).expect(200);
    const byPasskey = await passwordless(authenticator);
    await organizations(byPasskey).expect(200);
    const [first, last] = [id, (await addPasskey(person)).id];
    await removePasskey(person, first);
    await organizations(person.bearer).expect(200);
    await removePasskey(person, last);
    await organizations(person.bearer).expect(403, REQUIRED);
    await organizations(byPasskey).expect(403, REQUIRED);
  });

  it('takes the sign-in by a provider for both factors, and not the password of the same account', async () => {
    const { email } = await signedIn(app);
    await organizations(await byGoogle(email)).expect(200);
    const { body } = await signIn(app, email).expect(200);
    await organizations(`Bearer ${(body as Tokens).access_token}`).expect(403, REQUIRED);
  });

  it('ends streams when the last factor is removed, and does not concern keys and operators', async () => {
    const owner = await guardedByTotp(app);
    const { projectId, key } = await projectOf(owner);
    const stream = await StreamClient.open(app, `/v1/logs/stream?project_id=${projectId}`, owner.bearer);
    expect(stream.status).toBe(200);
    await disable(owner).expect(200);
    expect(await stream.over).toBe('ended');
    const again = await StreamClient.open(app, `/v1/logs/stream?project_id=${projectId}`, owner.bearer);
    expect(again.status).toBe(403);
    const event = { event_type: 'order.paid', source: 'shop' };
    await app.request().post('/v1/events/ingest').set('X-API-Key', key).send(event).expect(200);
    await app.request().get('/internal/jobs').set('X-Internal-Token', INTERNAL_TOKEN).expect(200);
  });

  it('judges a session by one statement, and by none while the answer is remembered', async () => {
    const [lacking, guarded] = [await signedIn(app), await guardedByTotp(app)];
    const fresh = await post(app, '/v1/auth/refresh', { refresh_token: lacking.refreshToken }).expect(200);
    const bearer = `Bearer ${(fresh.body as Tokens).access_token}`;
    const ask = (): Test => organizations(bearer);
    const me = (): Test => get(app, '/v1/auth/me', guarded.bearer);
    // The two statements of `me` are the reads of the account itself and of its factors.
    expect(await statementsOf([ask, ask, me, me])).toEqual([1, 0, 3, 2]);
  });

  it('judges the sessions on another instance again when a factor is set up or removed', async () => {
    const other = await createApiApp({
      databaseUrl: app.databaseUrl,
      dataDir: app.dataDir,
      env: { REQUIRE_MFA: 'true' },
    });
    try {
      const person = await signedIn(app);
      const statusOf = async (): Promise<number> => (await organizations(person.bearer, other)).status;
      expect(await statusOf()).toBe(403);
      const { id } = await addPasskey(person);
      await eventually(
        statusOf,
        (status) => status === 200,
        (status) => `the other instance answers ${status}`,
      );
      await removePasskey(person, id);
      await eventually(
        statusOf,
        (status) => status === 403,
        (status) => `the other instance answers ${status}`,
      );
    } finally {
      await other.close();
    }
  });
});

describe('a deployment with domains of companies', () => {
  it.each([
    ['in another case', (email: string) => email.toUpperCase()],
    ['with blanks around it', (email: string) => `  ${email} `],
    ['with a domain in Unicode', (email: string) => email.replace('acme', 'bücher')],
    ['with a domain in A-labels', (email: string) => email.replace('acme', 'XN--BCHER-KVA')],
    ['with a domain of combining marks', (email: string) => email.replace('acme', 'bu\u0308cher')],
  ])('refuses the password of an address %s', async (_, spelled) => {
    await signIn(app, spelled(atAcme())).expect(403, COMPANY);
  });

  it.each(['sub.acme.example', 'notacme.example', 'acme.example.com', 'acme.example@example.com'])(
    'treats an address at %s as any other',
    async (domain) => {
      await signIn(app, `ada@${domain}`).expect(401, { detail: 'Incorrect email or password' });
    },
  );

  it('answers an address with an account and one without the same, and looks neither up', async () => {
    const { email } = await signedIn(app, atAcme());
    const asks = [email, atAcme()].flatMap((address) => [
      () => signIn(app, address),
      () => signIn(app, address, { password: 'wrong-horse-battery' }),
      () => post(app, '/v1/auth/password-reset/request', { email: address }),
      () => post(app, '/v1/auth/register', { email: address, password: PASSWORD }),
    ]);
    for (const ask of asks) await ask().expect(403, COMPANY);
    expect(await statementsOf(asks)).toEqual(asks.map(() => 0));
    expect(await mailsTo(app.dataDir, email)).toEqual([]);
  });

  it('refuses a reset that was mailed before, and keeps its link and the password', async () => {
    const person = await signedIn(app);
    await post(app, '/v1/auth/password-reset/request', { email: person.email }).expect(200);
    const [mail] = await waitForMails(app.dataDir, person.email, 1);
    const token = mail === undefined ? '' : tokenIn(mail);
    await moveTo(person, atAcme());
    await post(app, '/v1/auth/password-reset/confirm', { token, password: NEW_PASSWORD }).expect(403, COMPANY);
    const isGood = await post(app, '/v1/auth/password-reset/validate', { token }).expect(200);
    expect(isGood.body).toEqual({ valid: true });
    await moveTo(person, person.email);
    await signIn(app, person.email).expect(200);
  });

  it('refuses to change an address to one of the domain, also by a link of before', async () => {
    const person = await guardedByTotp(app);
    const ask = async (email: string): Promise<Test> => {
      await forgetUsedCodes(app, person.id);
      const body = { email, current_password: PASSWORD, code: totpCode(person.secret) };
      return post(app, '/v1/account/email-change/request', body, person.bearer);
    };
    expect(await ask(atAcme())).toMatchObject({ status: 403, body: COMPANY });
    const next = randomEmail();
    expect(await ask(next)).toMatchObject({ status: 200 });
    const [mail] = await waitForMails(app.dataDir, next, 1);
    const token = mail === undefined ? '' : tokenIn(mail);
    await app.rows(`UPDATE user_tokens SET email = $2 WHERE user_id = $1 AND purpose = 'change_email'`, [
      person.id,
      atAcme(),
    ]);
    await post(app, '/v1/account/email-change/confirm', { token }).expect(403, COMPANY);
    const me = await get(app, '/v1/auth/me', person.bearer).expect(200);
    expect(me.body).toMatchObject({ email: person.email });
  });

  it('refuses to choose a password for an account of the domain', async () => {
    const person = await guardedByTotp(app);
    await moveTo(person, atAcme());
    const body = { password: NEW_PASSWORD, current_password: PASSWORD, code: totpCode(person.secret) };
    await post(app, '/v1/account/password/change', body, person.bearer).expect(403, COMPANY);
  });

  it('keeps providers, passkeys and the sessions of before', async () => {
    const person = await signedIn(app, atAcme());
    const { authenticator } = await addPasskey(person);
    await organizations(person.bearer).expect(200);
    await organizations(await passwordless(authenticator)).expect(200);
    await organizations(await byGoogle(atAcme())).expect(200);
    await post(app, '/v1/auth/refresh', { refresh_token: person.refreshToken }).expect(200);
  });

  it('exempts the platform administrator, who registers, signs in, resets and changes the password', async () => {
    const admin = await registered(app, ADMIN);
    await signIn(app, 'ROOT@Acme.Example').expect(200);
    await post(app, '/v1/auth/password-reset/request', { email: ADMIN }).expect(200);
    const token = await eventually(
      async () =>
        (await mailsTo(app.dataDir, ADMIN))
          .filter(({ text }) => text?.includes('/reset-password'))
          .map(tokenIn)
          .at(0),
      (found) => found !== undefined,
      () => 'no mail with a link for a reset',
    );
    await post(app, '/v1/auth/password-reset/confirm', { token, password: NEW_PASSWORD }).expect(200);
    await get(app, '/v1/auth/me', admin.bearer).expect(401);
    await signIn(app, ADMIN, { password: NEW_PASSWORD }).expect(200);
    await signIn(app, atAcme()).expect(403, COMPANY);
  });
});

/** Gives an account another verified address. */
async function moveTo({ id }: Actor, email: string): Promise<void> {
  await app.rows('UPDATE users SET email = $2, email_key = $2 WHERE id = $1', [id, email]);
}

async function projectOf({ bearer }: Actor): Promise<{ projectId: string; key: string }> {
  const create = async (path: string, body: object): Promise<Record<string, string>> =>
    (await post(app, path, body, bearer).expect(201)).body as Record<string, string>;
  const slug = randomUUID().slice(-12);
  const { id: organization_id } = await create('/v1/organizations', { name: 'Acme', slug });
  const { id: projectId = '' } = await create('/v1/projects', { organization_id, name: 'Web shop', slug });
  const { key = '' } = await create('/v1/api-keys', { project_id: projectId, name: 'Test', scopes: ['events:write'] });
  return { projectId, key };
}
