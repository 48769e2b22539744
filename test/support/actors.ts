import { randomBytes } from 'node:crypto';
import {
  asOrganizationId,
  asProjectId,
  type OrganizationId,
  type ProjectId,
  type UserId,
} from '../../src/modules/access/index.js';
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

/** A registered and verified account, signed in. */
export async function signedIn(app: TestApp, email = randomEmail()): Promise<Actor> {
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
  return { id, email, accessToken: tokens.access_token, refreshToken: tokens.refresh_token, bearer };
}

/** A signed-in owner of one organization with one project and one key of both scopes. */
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
