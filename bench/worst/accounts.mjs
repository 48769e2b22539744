// Floods the routes of sign-in, by clients without an account and for one account, over more connections than there are
// places.
import { Attacker, times, word } from './attacker.mjs';

const FLOOD_CONNECTIONS = 40;

/** Sends addresses that no account has, so that no mail is sent. */
function flood(path, bodyOf = () => ({ email: `${word()}@example.com` })) {
  return {
    name: `40 connections of ${path.replace('/v1/auth/', '')}`,
    prepare: () => ({}),
    attacks: {
      'unknown addresses': (attacker, size) =>
        attacker.flood(FLOOD_CONNECTIONS, size.floodMs, () => attacker.post(path, bodyOf(), { Authorization: '' })),
    },
  };
}

const login = (attacker, username, password) =>
  attacker.send('POST', '/v1/auth/login', {
    body: new URLSearchParams({ username, password }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: '' },
  });

export const ACCOUNTS = [
  flood('/v1/auth/password-reset/request'),
  flood('/v1/auth/resend-verification'),
  flood('/v1/auth/register', () => ({ email: `${word()}@example.com`, password: `${word()}-${word()}` })),
  {
    name: 'one account',
    // This case has its own account, because it changes the password.
    prepare: (attacker) => Attacker.open(attacker.service, () => undefined),
    attacks: {
      'parallel logins': (attacker, size, { email, password }) =>
        times(size.logins, (at) => login(attacker, email, at % 3 === 0 ? password : `wrong-${at}`)),
      'parallel password changes': async (attacker, size, { bearer, password }) => {
        const headers = { Authorization: `Bearer ${bearer}` };
        const { status, json } = await attacker.post('/v1/auth/step-up', { password }, headers);
        if (status !== 200) return;
        headers['X-Step-Up-Token'] = json().step_up_token;
        await times(size.changes, () =>
          attacker.post('/v1/account/password/change', { password: `${word()}-${word()}` }, headers),
        );
      },
    },
  },
];
