import type { Account, Api } from './api.js';
import { mailsTo, tokenIn } from './service-mail.js';
import { PASSWORD, type Role } from './sql-builders/accounts.js';

/** Registers an account, confirms its address by the captured mail and signs in, without access to the database. */
export async function signedUp(api: Api, email: string): Promise<Account> {
  await api.post('/v1/auth/register', { email, password: PASSWORD }).expect(201);
  const [mail] = await mailsTo(email);
  if (mail === undefined) throw new Error(`${email} has no mail`);
  await api.post('/v1/auth/verify-email', { email, token: tokenIn(mail) }).expect(200);
  const login = await api.post('/v1/auth/login').type('form').send({ username: email, password: PASSWORD }).expect(200);
  const tokens = login.body as { access_token: string; refresh_token: string };
  const accessToken = tokens.access_token;
  const { body } = await api.as({ accessToken }).get('/v1/auth/me').expect(200);
  return { id: (body as { id: string }).id, email, accessToken, refreshToken: tokens.refresh_token };
}

/** Makes an account join an organization and its projects with a role, through an invitation. */
export async function invited(
  asOwner: Api,
  organizationId: string,
  role: Role,
  joining: { readonly id: string; readonly email: string; readonly api: Api },
): Promise<void> {
  const organization = `/v1/organizations/${organizationId}`;
  const { body } = await asOwner.post(`${organization}/invites`, { email: joining.email, role: 'viewer' }).expect(201);
  await joining.api.post(`/v1/organizations/invites/${(body as { id: string }).id}/accept`).expect(200);
  // An invitation cannot give a role above operator.
  if (role !== 'viewer') await asOwner.patch(`${organization}/members/${joining.id}`, { role }).expect(200);
}
