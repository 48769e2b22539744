import { randomBytes } from 'node:crypto';
import {
  asOrganizationId,
  asProjectId,
  newUserId,
  type OrganizationId,
  type ProjectId,
  type UserId,
} from '../../src/modules/access/index.js';
import { SessionsService } from '../../src/modules/identity/sessions/index.js';
import { Passwords } from '../../src/platform/crypto/index.js';
import { newId } from '../../src/platform/ids/index.js';
import type { TestApp } from './app.js';
import { tokenIn, waitForMails } from './outbox.js';

export const PASSWORD = 'correct-horse-battery';

export interface Actor {
  readonly id: UserId;
  readonly email: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** The `Authorization` header. */
  readonly bearer: string;
}

export interface Owner extends Actor {
  readonly organizationId: OrganizationId;
  readonly projectId: ProjectId;
  readonly projectName: string;
  readonly apiKey: string;
  readonly apiKeyId: string;
}

export function randomEmail(): string {
  return `user-${randomBytes(6).toString('hex')}@example.com`;
}

/** The client of requests in tests, as sessions and the security log store it. */
const CLIENT = { ip: '127.0.0.1', userAgent: null };

let passwordHash: Promise<string> | undefined;

/**
 * Creates a signed-in account in the state that registration and confirmation leave. The whole sign-up takes two
 * hashes, a mail and four requests, which is most of the time of a small test. Suites that test mails or the sign-up
 * itself call {@link registered}.
 */
export async function signedIn(app: TestApp, email = randomEmail()): Promise<Actor> {
  const id = newUserId();
  passwordHash ??= app.nest.get(Passwords, { strict: false }).hash(PASSWORD, 'actors');
  await app.rows(
    `WITH account AS (
       INSERT INTO users (id, email, email_key, password_hash, email_verified_at) VALUES ($1, $2, $2, $3, now()))
     INSERT INTO security_events (id, user_id, type, ip, detail, created_at)
     VALUES ($4, $1, 'account_registered', $6, '{}', now() - interval '2 milliseconds'),
            ($5, $1, 'email_verified', $6, '{}', now() - interval '1 millisecond')`,
    [id, email, await passwordHash, newId(), newId(), CLIENT.ip],
  );
  const tokens = await app.nest.get(SessionsService, { strict: false }).open(id, 'password', CLIENT);
  return actorOf(id, email, tokens);
}

/** Like {@link signedIn}, but runs the whole sign-up over HTTP. */
export async function registered(app: TestApp, email = randomEmail()): Promise<Actor> {
  await app.request().post('/v1/auth/register').send({ email, password: PASSWORD }).expect(201);
  const [mail] = await waitForMails(app.dataDir, email, 1);
  if (mail === undefined) throw new Error('no mail');
  await app
    .request()
    .post('/v1/auth/verify-email')
    .send({ email, token: tokenIn(mail) })
    .expect(200);
  return login(app, email);
}

export async function login(app: TestApp, email: string): Promise<Actor> {
  const { body } = await app
    .request()
    .post('/v1/auth/login')
    .type('form')
    .send({ username: email, password: PASSWORD })
    .expect(200);
  const tokens = body as { access_token: string; refresh_token: string };
  const bearer = `Bearer ${tokens.access_token}`;
  const me = await app.request().get('/v1/auth/me').set('Authorization', bearer).expect(200);
  const { id } = me.body as { id: UserId };
  return actorOf(id, email, tokens);
}

function actorOf(id: UserId, email: string, tokens: { access_token: string; refresh_token: string }): Actor {
  const { access_token: accessToken, refresh_token: refreshToken } = tokens;
  return { id, email, accessToken, refreshToken, bearer: `Bearer ${accessToken}` };
}

/** Creates a signed-in owner of one organization with one project and one key that has both scopes. */
export async function ownerWithProject(app: TestApp, projectName = 'Web shop'): Promise<Owner> {
  const actor = await signedIn(app);
  const slug = randomBytes(6).toString('hex');
  const send = async (path: string, body: object): Promise<Record<string, string>> =>
    (await app.request().post(path).set('Authorization', actor.bearer).send(body).expect(201)).body as Record<
      string,
      string
    >;
  const organization = await send('/v1/organizations', { name: 'Acme', slug });
  const project = await send('/v1/projects', { organization_id: organization.id, name: projectName, slug });
  const key = await send('/v1/api-keys', {
    project_id: project.id,
    name: 'Test',
    scopes: ['events:read', 'events:write'],
  });
  return {
    ...actor,
    organizationId: asOrganizationId(organization.id ?? ''),
    projectId: asProjectId(project.id ?? ''),
    projectName,
    apiKey: key.key ?? '',
    apiKeyId: key.id ?? '',
  };
}

/** Adds an account to an organization with a role, as an accepted invitation does. */
export async function addMember(app: TestApp, owner: Owner, role: string): Promise<Actor> {
  const actor = await signedIn(app);
  await app.rows('INSERT INTO organization_members (organization_id, user_id, role) VALUES ($1, $2, $3)', [
    owner.organizationId,
    actor.id,
    role,
  ]);
  await app.rows('INSERT INTO project_members (project_id, user_id, role) VALUES ($1, $2, $3)', [
    owner.projectId,
    actor.id,
    role,
  ]);
  return actor;
}
