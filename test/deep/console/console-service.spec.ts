import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { brotliCompressSync } from 'node:zlib';
import { type Actor, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';

const FIRST_PAGE_BYTES = 250 * 1024;

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

async function page(path = '/console'): Promise<{ text: string; policy: string }> {
  const answer = await fetch(`${app.url}${path}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  return { text: await answer.text(), policy: answer.headers.get('content-security-policy') ?? '' };
}

const assetsIn = (text: string): string[] =>
  [...text.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path);

describe('the console over HTTP', () => {
  it('sends a policy that permits nothing inline except styles with the nonce of the same answer', async () => {
    const [first, second] = await Promise.all([page(), page()]);
    const nonce = /'nonce-([\w-]{22})'/.exec(first.policy)?.[1] ?? '';
    expect(first.policy).not.toMatch(/unsafe|blob:|https?:/);
    expect(first.policy).toContain("default-src 'none';script-src 'self';");
    expect(first.text).toContain(`nonce="${nonce}"`);
    expect(first.text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|style=|__NONCE__/);
    expect(second.policy).not.toContain(nonce);
  });

  it.each(['/console/', '/console/login', '/console/o/acme/p/web-shop/logs?q=1', '/console/invites/1.2'])(
    'serves its page at %s',
    async (path) => {
      expect((await page(path)).text).toMatch(/<div id="root"[ >]/);
      const head = await fetch(`${app.url}${path}`, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
    },
  );

  it.each([
    '/verify-email?email=a%40example.com&token=t',
    '/reset-password?token=t',
    '/confirm-email-change?token=t',
    '/invites/019a?token=t',
    '/billing',
    '/login',
  ])('redirects %s to the same path of the console', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await fetch(`${app.url}${path}`, { method, redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([302, `/console${path}`]);
    }
    expect((await fetch(`${app.url}${path}`, { method: 'POST' })).status).toBe(404);
  });

  it('redirects the form that a sign-in provider posts, with its values only in the fragment', async () => {
    const post = (body: string | Record<string, string>, path = '/console/oauth/callback') =>
      fetch(`${app.url}${path}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : new URLSearchParams(body),
        redirect: 'manual',
      });
    const answer = await post({ code: 'a/b', state: 's', user: '{"name":{}}', other: 'x', id_token: 'y' });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/console/oauth/callback#code=a%2Fb&state=s&user=%7B%22name%22%3A%7B%7D%7D',
    ]);
    expect((await post('no form')).headers.get('location')).toBe('/console/oauth/callback#');
    // Each of them takes three times as much in an address.
    expect((await post({ code: '/'.repeat(1_300) })).status).toBe(303);
    for (const length of [1_400, 20_000]) expect((await post({ code: '/'.repeat(length) })).status).toBe(413);
    expect((await post({ code: 'a' }, '/console/oauth/callback/')).status).toBe(404);
    expect(app.logLines.join('')).not.toContain('a%2Fb');
  });

  it.each(['/verify-email/', '/invites', '/invites/a/b', '/invites/%2F%2Felse.example', '/Login'])(
    'returns 404 instead of a redirect for %s',
    async (path) => {
      expect((await fetch(`${app.url}${path}`, { redirect: 'manual' })).status).toBe(404);
    },
  );

  it('serves its assets small, compressed and cacheable for a year', async () => {
    const { text } = await page();
    const paths = assetsIn(text);
    expect(paths.length).toBeGreaterThan(1);
    let bytes = brotliCompressSync(text).length;
    for (const path of paths) {
      const answer = await fetch(`${app.url}${path}`, { headers: { 'Accept-Encoding': 'br' } });
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-encoding': 'br',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
      bytes += Number(answer.headers.get('content-length'));
    }
    expect(bytes).toBeLessThan(FIRST_PAGE_BYTES);
  });

  it.each([
    ['GET', '/console/assets/none.js'],
    ['GET', '/console/assets/..%2findex.html'],
    ['GET', '/console/assets/'],
    ['GET', '/console/session'],
    ['POST', '/console'],
    ['PATCH', '/console/session'],
    ['GET', '/consoles'],
  ])('returns 404 for %s %s', async (method, path) => {
    const answer = await fetch(`${app.url}${path}`, { method });
    expect([answer.status, await answer.json()]).toEqual([404, { detail: 'Not Found' }]);
  });

  it('returns 404 for its pages and its session when CONSOLE is off', async () => {
    const without = await createTestApp({ env: { CONSOLE: 'off' } });
    try {
      for (const path of ['/console', '/console/login'])
        expect((await fetch(`${without.url}${path}`)).status).toBe(404);
      expect((await fetch(`${without.url}/console/session`, { method: 'POST' })).status).toBe(404);
    } finally {
      await without.close();
    }
  });
});

describe('the keeper of refresh tokens', () => {
  const keeper = (method: string, headers: Record<string, string> = {}, to = app): Promise<Response> =>
    fetch(`${to.url}/console/session`, { method, headers });
  const cookieOf = (answer: Response): string => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const takenOver = async (actor: Actor): Promise<string> =>
    cookieOf(await keeper('PUT', { Authorization: `Bearer ${actor.refreshToken}` }));
  const me = async (token: string): Promise<number> =>
    (await fetch(`${app.url}/v1/auth/me`, { headers: { Authorization: `Bearer ${token}` } })).status;

  it('puts the token where no script and no other site gets at it, and answers without it', async () => {
    const actor = await signedIn(app);
    const answer = await keeper('PUT', { Authorization: `Bearer ${actor.refreshToken}` });
    const body = (await answer.json()) as { access_token: string };
    expect(Object.keys(body).sort()).toEqual(['access_expires_in', 'access_token']);
    expect(await me(body.access_token)).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^console_session=[\w-]{43}; Max-Age=\d+; Path=\/console\/session; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
    );
    expect(cookie).not.toContain(actor.refreshToken);
    expect(app.logLines.join()).not.toContain(cookieOf(answer).split('=')[1]);
  });

  it('has used up what the page had in its hands: whoever shows it ends the session', async () => {
    const actor = await signedIn(app);
    const cookie = await takenOver(actor);
    await app.request().post('/v1/auth/refresh').send({ refresh_token: actor.refreshToken }).expect(401);
    const answer = await keeper('POST', { Cookie: cookie });
    expect([answer.status, answer.headers.getSetCookie()[0]]).toEqual([
      204,
      expect.stringMatching(/^console_session=;/),
    ]);
  });

  it('goes on with the session, with another cookie each time, until it is signed out', async () => {
    const first = await takenOver(await signedIn(app));
    const next = await keeper('POST', { Cookie: `other=1; ${first}` });
    const second = cookieOf(next);
    expect(second).not.toBe(first);
    const { access_token } = (await next.json()) as { access_token: string };
    expect((await keeper('DELETE', { Cookie: second })).status).toBe(204);
    expect(await me(access_token)).toBe(401);
    expect((await keeper('POST', { Cookie: second })).status).toBe(204);
  });

  it('gives two tabs that go on at once the same cookie, which both go on with', async () => {
    const cookie = await takenOver(await signedIn(app));
    const answers = await Promise.all([1, 2].map(() => keeper('POST', { Cookie: cookie })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const [first = '', second] = answers.map(cookieOf);
    expect(second).toBe(first);
    for (const next of [first, first]) expect((await keeper('POST', { Cookie: next })).status).toBe(200);
  });

  it.each([
    ['no token', {}],
    ['another scheme', { Authorization: 'Basic eA==' }],
    ['what is no token', { Authorization: 'Bearer x' }],
    ['a token of nobody', { Authorization: `Bearer ${'x'.repeat(43)}` }],
  ])('takes nothing over by %s', async (_, headers) => {
    const answer = await keeper('PUT', headers);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
    expect(await answer.json()).toEqual({ detail: expect.any(String) });
  });

  it.each(['', 'console_session=', 'console_session=%00', `console_session=${'x'.repeat(201)}`, 'console_session'])(
    'knows nobody by %p',
    async (cookie) => {
      for (const method of ['POST', 'DELETE']) expect((await keeper(method, { Cookie: cookie })).status).toBe(204);
    },
  );

  it('sends the cookie over TLS alone where the front end has it', async () => {
    const secure = await createTestApp({
      env: { PUBLIC_APP_URL: 'https://events.example.com/console' },
      databaseUrl: app.databaseUrl,
    });
    try {
      const { refreshToken } = await signedIn(secure);
      const answer = await keeper('PUT', { Authorization: `Bearer ${refreshToken}` }, secure);
      expect(answer.headers.getSetCookie()[0]).toContain('; Secure;');
    } finally {
      await secure.close();
    }
  });
});
