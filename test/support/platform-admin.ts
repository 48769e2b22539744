import { type Account, api, PASSWORD, service } from './service.js';
import { signedInUser } from './sql-builders/accounts.js';

const UNIQUE_VIOLATION = '23505';

/**
 * Signs in the account that administers the platform. A run has one such account; the first spec file that needs it
 * creates it.
 */
export async function platformAdmin(): Promise<Account> {
  const email = service.platformAdminEmail;
  await signedInUser(email).catch((error: unknown) => {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
  });
  const login = { username: email, password: PASSWORD };
  const { body } = await api.post('/v1/auth/login').type('form').send(login).expect(200);
  const { access_token: accessToken, refresh_token: refreshToken } = body as Record<string, string>;
  if (accessToken === undefined || refreshToken === undefined) throw new Error('the sign-in answers no tokens');
  const me = await api.as({ accessToken }).get('/v1/auth/me').expect(200);
  return { id: (me.body as { id: string }).id, email, accessToken, refreshToken };
}
