import { LeftOut } from './left-out.js';
import { tokenIn, waitForMails } from './outbox.js';
import { askProgram } from './programs/ask.js';
import { type Account, Api, PASSWORD, randomEmail } from './service.js';

interface LimitedService {
  readonly url: string;
  readonly dataDir: string;
}

/** Undefined when the suites run against a deployment. */
const limited = process.env.TEST_BASE_URL ? undefined : await limitedService();

/**
 * Sends requests without credentials to the built service with the rate limits of a deployment. Suites share this
 * service.
 */
export const limitedApi = new Api({}, limited?.url);

/**
 * Creates a signed-in account of the service with limits. All tests come from one address, which may register 15
 * accounts in 15 minutes and sign in 20 times in 5 minutes, so a file must create few of them.
 */
export async function limitedAccount(): Promise<Account> {
  if (limited === undefined) throw new LeftOut('needs the service with rate limits of a test run');
  const email = randomEmail();
  await limitedApi.post('/v1/auth/register', { email, password: PASSWORD }).expect(201);
  const [mail] = await waitForMails(limited.dataDir, email, 1);
  if (mail === undefined) throw new Error(`no mail for ${email}`);
  await limitedApi.post('/v1/auth/verify-email', { email, token: tokenIn(mail) }).expect(200);
  const signIn = limitedApi.post('/v1/auth/login').type('form').send({ username: email, password: PASSWORD });
  const tokens = (await signIn.expect(200)).body as { access_token: string; refresh_token: string };
  const accessToken = tokens.access_token;
  const { body } = await limitedApi.as({ accessToken }).get('/v1/auth/me').expect(200);
  return { id: (body as { id: string }).id, email, accessToken, refreshToken: tokens.refresh_token };
}

async function limitedService(): Promise<LimitedService> {
  const started = await askProgram<LimitedService>('service-with-limits');
  if ('absent' in started) throw new Error(started.absent);
  return started;
}
