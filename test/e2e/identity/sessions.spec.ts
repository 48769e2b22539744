import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { anotherSession, securityEventTypes, type Tokens } from '../../support/second-factors-api.js';
import { capturedMails, mailsTo } from '../../support/service-mail.js';
import { account, type Account, api, tenant } from '../../support/service.js';
import {
  login,
  noticesSent,
  refresh,
  registered,
  securityEvents,
  sessionIdOf,
  signIn,
} from '../../support/sign-in-api.js';
import { expireSession } from '../../support/sql-builders/sign-in.js';

interface SessionRecord {
  id: string;
  current: boolean;
  last_used_at: string;
  user_agent: string | null;
}

const MISSING = { detail: 'Session not found' };
const NOT_AUTHENTICATED = { detail: 'Not authenticated' };

const me = (of: Account) => api.as(of).get('/v1/auth/me');
const list = async (of: Account) => (await api.as(of).get('/v1/auth/sessions').expect(200)).body as SessionRecord[];
const revoke = (by: Account, id: string) => api.as(by).post(`/v1/auth/sessions/${id}/revoke`);
const revokeOthers = (by: Account) => api.as(by).post('/v1/auth/sessions/revoke-others');

describe('the list of sessions', () => {
  it('shows the active sessions of the account, the newest first, and marks the current one', async () => {
    const first = await account();
    const second = await anotherSession(first);
    const expired = await anotherSession(first);
    const revoked = await anotherSession(first);
    await expireSession(sessionIdOf(expired));
    await revoke(first, sessionIdOf(revoked)).expect(200);
    await account();

    const sessions = await list(first);
    expect(sessions.map(({ id, current }) => [id, current])).toEqual([
      [sessionIdOf(second), false],
      [sessionIdOf(first), true],
    ]);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(sessions[0]).toEqual({
      id: sessionIdOf(second),
      current: false,
      created_at: time,
      last_used_at: time,
      expires_at: time,
      ip: '127.0.0.1',
      user_agent: null,
      method: 'password',
    });
  });

  it('shows the program of each session, and the time of its last refresh', async () => {
    const user = await account();
    const { body } = await signIn(user.email).set('User-Agent', 'Browser/1.0').expect(200);
    const [before] = await list(user);
    expect(before?.user_agent).toBe('Browser/1.0');
    await refresh((body as Tokens).refresh_token).expect(200);
    const [after] = await list(user);
    expect(after?.id).toBe(before?.id);
    expect((after?.last_used_at ?? '') > (before?.last_used_at ?? '')).toBe(true);
  });
});

describe('the revocation of a session', () => {
  it('ends the session at once, leaves the others, and has the same answer a second time', async () => {
    const kept = await account();
    const ended = await anotherSession(kept);
    await me(ended).expect(200);
    const answer = await revoke(kept, sessionIdOf(ended)).expect(200);
    expect(answer.body).toEqual({ message: expect.any(String) });
    await me(ended).expect(401, NOT_AUTHENTICATED);
    await refresh(ended.refreshToken).expect(401, { detail: 'Invalid refresh token' });
    await me(kept).expect(200);
    expect((await revoke(kept, sessionIdOf(ended)).expect(200)).body).toEqual(answer.body);
    const events = (await securityEvents(kept)).filter(({ type }) => type === 'session_revoked');
    expect(events.map(({ detail }) => detail)).toEqual([{ session_id: sessionIdOf(ended) }]);
  });

  it('ends the current session, too', async () => {
    const user = await account();
    await revoke(user, sessionIdOf(user)).expect(200);
    await me(user).expect(401);
  });

  it('returns the same 404 for a session of another account and for an unknown one', async () => {
    const [user, other] = [await account(), await account()];
    await revoke(user, sessionIdOf(other)).expect(404, MISSING);
    await revoke(user, '0199f3a1-0000-7000-8000-000000000000').expect(404, MISSING);
    await me(other).expect(200);
    const { body } = await revoke(user, 'mine').expect(422);
    expect((body as { detail: { loc: unknown }[] }).detail[0]?.loc).toEqual(['path', 'session_id']);
  });

  it('ends all other sessions of the account on request, and none of another account', async () => {
    const kept = await account();
    const ended = [await anotherSession(kept), await anotherSession(kept)];
    const stranger = await account();
    expect((await revokeOthers(kept).expect(200)).body).toEqual({ message: expect.any(String), revoked: 2 });
    for (const session of ended) await me(session).expect(401);
    for (const session of [kept, stranger]) await me(session).expect(200);
    expect((await revokeOthers(kept).expect(200)).body).toMatchObject({ revoked: 0 });
    expect(await list(kept)).toHaveLength(1);
    expect(await securityEventTypes(kept)).toContain('other_sessions_revoked');
  });

  it('ends the session even while the service checks requests of it', async () => {
    const kept = await account();
    for (let round = 0; round < 10; round += 1) {
      const ended = await anotherSession(kept);
      const checks = Array.from({ length: 8 }, () => me(ended));
      await Promise.all([...checks, revoke(kept, sessionIdOf(ended)).expect(200)]);
      await me(ended).expect(401);
    }
  });
});

describe('the security log', () => {
  it('has every sign-in and sign-out, with the address of the client', async () => {
    const user = await registered();
    await signIn(user.email, 'not-the-password').expect(401);
    const other = await login(user.email);
    await api.post('/v1/auth/logout', { refresh_token: other.refreshToken }).expect(200);
    const events = await eventually(
      () => securityEvents(user),
      ({ length }) => length >= 6,
    );
    expect(events.map(({ type }) => type).sort()).toEqual([
      'account_registered',
      'email_verified',
      'sign_in_failed',
      'signed_in',
      'signed_in',
      'signed_out',
    ]);
    for (const event of events) expect(event.ip).toBe('127.0.0.1');
  });

  it('has a sign-in with a new program, and the owner is mailed about it once', async () => {
    const user = await registered();
    const signInByPhone = () =>
      signIn(user.email)
        .set('User-Agent', 'Mozilla/5.0 (Android 16; Mobile; rv:146.0) Gecko/146.0 Firefox/146.0')
        .expect(200);
    await signInByPhone();
    const mails = await mailsTo(user.email, 2);
    expect(mails[1]?.subject).toBe('New sign-in to your account');
    expect(mails[1]?.text).toContain('Program: Firefox on Android');
    await signInByPhone();
    expect((await securityEventTypes(user)).slice(0, 2)).toEqual(['signed_in', 'signed_in_new_device']);
    await noticesSent(user);
    expect(await capturedMails(user.email)).toHaveLength(2);
  });

  it('has the reuse of a refresh token, and the owner is mailed about it', async () => {
    const thief = await registered();
    const { body } = await refresh(thief.refreshToken).expect(200);
    await refresh((body as Tokens).refresh_token).expect(200);
    await refresh(thief.refreshToken).expect(401, { detail: 'Refresh token reuse detected' });
    const owner = await login(thief.email);
    const events = await securityEvents(owner);
    expect(events.find(({ type }) => type === 'refresh_token_reused')?.detail).toEqual({
      session_id: sessionIdOf(thief),
    });
    const mails = await mailsTo(thief.email, 2);
    expect(mails[1]?.subject).toBe('A session of your account was ended');
  });
});

describe('the authentication of a request', () => {
  it('accepts neither an API key as a bearer token, nor an access token as an API key', async () => {
    const acme = await tenant();
    const { accessToken } = acme.owner;
    const { apiKey } = acme.key;
    await api.as({ accessToken: apiKey }).get('/v1/auth/me').expect(401, NOT_AUTHENTICATED);
    await api.as({ apiKey: accessToken }).get('/v1/usage/current').expect(401, NOT_AUTHENTICATED);
    await api.as(acme.owner).get('/v1/usage/current').expect(401, NOT_AUTHENTICATED);
    await api.as(acme.key).get('/v1/auth/me').expect(401, NOT_AUTHENTICATED);
    for (const header of ['Bearer', 'Bearer ', `bearer${accessToken}`, `Bearer ${accessToken} x`, ' ']) {
      await api.get('/v1/auth/me').set('Authorization', header).expect(401, NOT_AUTHENTICATED);
    }
  });
});

describe('the cookie of a console session', () => {
  it('is HttpOnly and SameSite=Strict, and is not the refresh token of the sign-in', async () => {
    const { refreshToken } = await account();
    const request = api.put('/console/session').set('Authorization', `Bearer ${refreshToken}`);
    const { headers } = await request.expect(200);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^console_session=[\w-]{43}; Max-Age=\d+; Path=\/console\/session; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    expect(String(headers['set-cookie'])).not.toContain(refreshToken);
  });
});
