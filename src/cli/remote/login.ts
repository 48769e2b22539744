import { checkedAddress, isKey, type RemoteOptions, sendable, storedTokens, type TokenAnswer } from './connection.js';
import { EXIT } from './failure.js';
import { exchange, refusalOf } from './http.js';
import { Questions } from './questions.js';
import { CredentialFile, type Stored } from './stored-credentials.js';

interface Challenge {
  readonly mfa_required: true;
  readonly challenge_token: string;
}

/** Signs in and stores the tokens. A given token is checked and stored instead. @returns the exit code */
export async function login(
  options: RemoteOptions & { readonly email?: string },
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const file = new CredentialFile(environment);
  const questions = new Questions();
  try {
    const known = options.url || environment.OES_URL || (await file.read()).current;
    const address = checkedAddress(known ?? (await questions.ask('Address of the service: ')), options);
    const token = options.token === '-' ? await questions.askHidden('Token: ') : options.token;
    const stored =
      token === undefined ? await signIn(address, options.email, questions) : await checked(address, token);
    await file.store(address, stored, { isCurrent: true });
    const kind = stored.api_key === undefined ? 'session' : 'API key';
    const done = { url: address, stored: kind, file: file.path };
    process.stdout.write(
      options.json ? `${JSON.stringify(done)}\n` : `Signed in to ${address}. ${file.path} keeps the ${kind}.\n`,
    );
    return EXIT.done;
  } finally {
    questions.close();
  }
}

async function signIn(address: string, email: string | undefined, questions: Questions): Promise<Stored> {
  const form = new URLSearchParams({
    username: email ?? (await questions.ask('E-mail address: ')),
    password: await questions.askHidden('Password: '),
  });
  const answer = await exchange(address, {
    method: 'POST',
    path: '/v1/auth/login',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
  if (answer.status !== 200) throw refusalOf(answer);
  const signedIn = answer.body as TokenAnswer | Challenge;
  if (!('mfa_required' in signedIn)) return storedTokens(signedIn);
  return secondFactor(address, signedIn.challenge_token, questions);
}

/** Takes a code of the authenticator app, which has six digits, or a recovery code. */
async function secondFactor(address: string, challenge: string, questions: Questions): Promise<Stored> {
  const code = (await questions.askHidden('Code of the authenticator app, or a recovery code: ')).replace(/\s/g, '');
  const isTotp = /^\d{6}$/.test(code);
  const answer = await exchange(address, {
    method: 'POST',
    path: isTotp ? '/v1/auth/mfa/totp/verify' : '/v1/auth/mfa/recovery-code/verify',
    body: { challenge_token: challenge, ...(isTotp ? { code } : { recovery_code: code }) },
  });
  if (answer.status !== 200) throw refusalOf(answer);
  return storedTokens(answer.body as TokenAnswer);
}

/**
 * Checks a given token with the service. An access token is stored without a refresh token, so it cannot be renewed.
 */
async function checked(address: string, given: string): Promise<Stored> {
  const token = sendable(given.trim());
  const answer = isKey(token)
    ? await exchange(address, { method: 'GET', path: '/v1/api-keys/me', headers: { 'x-api-key': token } })
    : await exchange(address, { method: 'GET', path: '/v1/auth/me', headers: { authorization: `Bearer ${token}` } });
  if (answer.status !== 200) throw refusalOf(answer);
  if (isKey(token)) return { api_key: token };
  return { access_token: token, refresh_token: undefined, expires_at: Number.MAX_SAFE_INTEGER };
}
