import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import {
  type Client,
  type ClientOptions,
  createClient,
  each,
  isRefusal,
  type OperationName,
  pages,
  Session,
  StoredSession,
  stream,
  type Tokens,
  UnexpectedAnswer,
} from '../../../clients/typescript/src/index.js';
import { OpenStreamRegistry } from '../../../src/modules/events/streams/open-stream-registry.js';
import { type Owner, ownerWithProject, PASSWORD } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { launchChromium, servePage } from '../../support/chromium.js';
import { eventually } from '../../support/eventually.js';
import { createSource } from '../../support/sources.js';

type Fetch = typeof globalThis.fetch;
interface Paged {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId: string; responses: object }>>>>;
  readonly components: {
    readonly schemas: Readonly<
      Record<
        string,
        {
          readonly properties?: Readonly<Record<string, unknown>>;
          readonly allOf?: readonly { readonly $ref?: string }[];
        }
      >
    >;
  };
}

/** The error that something rejects with. */
async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => new Error('It succeeded'),
    (error: unknown) => error,
  );
}

async function all<T>(from: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of from) items.push(item);
  return items;
}

describe('the client', () => {
  let app: TestApp;
  let owner: Owner;
  let api: Client;

  beforeAll(async () => {
    app = await createTestApp({ env: { RATE_LIMIT_OVERRIDES: 'billing-status=2/2' } });
  });
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    api = clientOf();
  });
  afterAll(() => app.close());

  const tokens = (): Tokens => ({ access_token: owner.accessToken, refresh_token: owner.refreshToken });
  const clientOf = (options: Partial<ClientOptions> = {}): Client =>
    createClient({ url: app.url, apiKey: owner.apiKey, session: new Session(tokens()), ...options });
  /** `fetch` with the requests it was asked for; `answer` may answer instead of the service. */
  const watched = (answer: (path: string, count: number) => Response | null = () => null) => {
    const paths: string[] = [];
    const watching: Fetch = async (at, init) => {
      const path = new URL(at).pathname;
      paths.push(path);
      return answer(path, paths.length) ?? fetch(at, init);
    };
    return { paths, fetch: watching };
  };
  const ingest = async (count: number): Promise<void> => {
    const lines = Array.from({ length: count }, (_, n) =>
      JSON.stringify({ event_type: 'order.paid', source: 'shop', event_id: `event-${n}` }),
    );
    expect(await api.ingestEvent({ body: lines.join('\n') })).toMatchObject({ accepted: count });
  };

  describe('session', () => {
    const expired = (onChange?: (tokens: Tokens | null) => void): Session =>
      new Session({ access_token: 'expired', refresh_token: owner.refreshToken }, onChange);

    const storageIn = (kept: Map<string, string>) => ({
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, text: string) => void kept.set(key, text),
      removeItem: (key: string) => void kept.delete(key),
    });

    it('signs in with a form, keeps what it was given, and signs out', async () => {
      const told: (Tokens | null)[] = [];
      const session = new Session(null, (changed) => told.push(changed));
      api = clientOf({ session });
      const answer = await api.logIn({ body: { username: owner.email, password: PASSWORD } });
      expect(told).toEqual([answer]);
      expect((await api.getCurrentUser()).email).toBe(owner.email);
      await api.logOut({ body: { refresh_token: session.tokens?.refresh_token ?? '' } });
      expect(session.tokens).toBeNull();
      expect(told).toHaveLength(2);
      expect(isRefusal(await errorOf(api.getCurrentUser()), 'getCurrentUser')).toBe(true);
    });

    it('refreshes once for all requests that were refused at once', async () => {
      const told: (Tokens | null)[] = [];
      const session = expired((changed) => told.push(changed));
      const { paths, fetch: counted } = watched();
      api = clientOf({ session, fetch: counted });
      const asked = await Promise.all(Array.from({ length: 20 }, () => api.getCurrentUser()));
      expect(new Set(asked.map(({ email }) => email))).toEqual(new Set([owner.email]));
      expect(paths.filter((path) => path === '/v1/auth/refresh')).toHaveLength(1);
      expect(told).toEqual([session.tokens]);
      // The next refresh has the token that the first one gave.
      session.set({ access_token: 'expired', refresh_token: session.tokens?.refresh_token ?? '' });
      expect((await api.getCurrentUser()).email).toBe(owner.email);
    });

    it('asks again for a refresh whose answer was lost', async () => {
      const session = expired();
      let lost = 0;
      const losing: Fetch = async (at, init) => {
        const answer = await fetch(at, init);
        if (!(at as string).endsWith('/refresh') || lost > 0) return answer;
        lost += 1;
        throw new TypeError('terminated');
      };
      api = clientOf({ session, fetch: losing });
      expect((await api.getCurrentUser()).email).toBe(owner.email);
      expect(lost).toBe(1);
    });

    it('is one for all tabs: each uses what another has refreshed, and is signed out with it', async () => {
      const kept = new Map<string, string>();
      const storage = storageIn(kept);
      let turn: Promise<unknown> = Promise.resolve();
      const locks = {
        request: <T>(_: string, work: () => Promise<T>): Promise<T> => {
          const mine = turn.then(work);
          turn = mine.catch(() => undefined);
          return mine;
        },
      };
      const { paths, fetch: counted } = watched();
      const told: (Tokens | null)[] = [];
      const sessions = [1, 2, 3].map(
        (tab) => new StoredSession({ storage, locks, ...(tab === 1 && { onChange: (changed) => told.push(changed) }) }),
      );
      const [first, second, third] = sessions;
      first?.set({ access_token: 'expired', refresh_token: owner.refreshToken });
      const tabs = sessions.map((session) => clientOf({ session, fetch: counted }));
      const asked = await Promise.all([...tabs, ...tabs].map((tab) => tab.getCurrentUser()));
      expect(new Set(asked.map(({ email }) => email))).toEqual(new Set([owner.email]));
      expect(paths.filter((path) => path === '/v1/auth/refresh')).toHaveLength(1);
      expect([first?.tokens, third?.tokens]).toEqual([second?.tokens, second?.tokens]);
      await tabs[0]?.logOut({ body: { refresh_token: second?.tokens?.refresh_token ?? '' } });
      expect(sessions.map((session) => session.tokens)).toEqual([null, null, null]);
      expect(told.at(-1)).toBeNull();
      expect(await errorOf(clientOf({ session: third }).getCurrentUser())).toMatchObject({ status: 401 });
      kept.set('operational-events.session', 'no tokens');
      expect(third?.tokens).toBeNull();
    });

    it('goes on in all tabs that refreshed at once, where there are no locks', async () => {
      const storage = storageIn(new Map());
      const sessions = [1, 2].map(() => new StoredSession({ storage }));
      let waiting: (() => void)[] = [];
      const together: Fetch = async (at, init) => {
        if (!(at as string).endsWith('/refresh')) return fetch(at, init);
        const turn = new Promise<void>((resolve) => waiting.push(resolve));
        if (waiting.length === sessions.length) {
          for (const go of waiting) go();
          waiting = [];
        }
        await turn;
        return fetch(at, init);
      };
      const tabs = sessions.map((session) => clientOf({ session, fetch: together }));
      let refreshToken = owner.refreshToken;
      for (const round of [1, 2, 3]) {
        sessions[0]?.set({ access_token: `expired ${round}`, refresh_token: refreshToken });
        const asked = await Promise.all(tabs.map((tab) => tab.getCurrentUser()));
        expect(asked.map(({ email }) => email)).toEqual([owner.email, owner.email]);
        const [first, second] = sessions.map(({ tokens }) => tokens?.refresh_token);
        expect(second).toBe(first);
        expect(second).not.toBe(refreshToken);
        refreshToken = second ?? '';
      }
    });

    it('is one for the tabs of a browser', async () => {
      const { outputFiles } = buildSync({
        entryPoints: [fileURLToPath(new URL('../../../clients/typescript/src/index.ts', import.meta.url))],
        bundle: true,
        format: 'iife',
        globalName: 'client',
        write: false,
      });
      const script = (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script');
      const served = await servePage(`<!doctype html><title>Console</title><script>${script}</script>`);
      const chromium = await launchChromium();
      try {
        const tabs = [await chromium.context.newPage(), await chromium.context.newPage()];
        const inEach = (work: string) => Promise.all(tabs.map((tab) => tab.evaluate<unknown>(work)));
        for (const tab of tabs) await tab.goto(served.origin);
        await inEach(`told = []; session = new client.StoredSession({ onChange: (tokens) => told.push(tokens) });`);
        // Whether a tab sees in time what the other has stored is a race between processes of the browser: told often.
        for (let round = 1; round <= 20; round += 1) {
          await inEach(`session.set({ access_token: 'old', refresh_token: 'r${round}' })`);
          await eventually(
            () => inEach('(refused = session.tokens).refresh_token'),
            (tokens) => tokens.every((token) => token === `r${round}`),
          );
          const renewed = await inEach(`session.renew(refused, async (token) => {
            localStorage.refreshes = Number(localStorage.refreshes ?? 0) + 1;
            await new Promise((resolve) => setTimeout(resolve, 5));
            return { access_token: 'new', refresh_token: token + '+' };
          })`);
          expect(renewed).toEqual(Array(2).fill({ access_token: 'new', refresh_token: `r${round}+` }));
          await eventually(
            () => inEach('Number(localStorage.refreshes)'),
            ([one, other]) => one === other,
          );
          expect(await inEach('Number(localStorage.refreshes)')).toEqual([round, round]);
        }
        await tabs[0]?.evaluate('session.set(null)');
        await eventually(
          () => inEach('told.at(-1)'),
          (told) => told.every((last) => last === null),
        );
        expect(await inEach('session.tokens')).toEqual([null, null]);
      } finally {
        await chromium.close();
        await served.close();
      }
    });

    it('has none when the session has ended, and tells the refusal', async () => {
      const session = expired();
      await app.rows('UPDATE sessions SET revoked_at = now() WHERE user_id = $1', [owner.id]);
      api = clientOf({ session });
      const error = await errorOf(api.getCurrentUser());
      expect(error).toMatchObject({ operation: 'getCurrentUser', status: 401, detail: 'Not authenticated' });
      expect(session.tokens).toBeNull();
    });

    it('is not brought back by a refresh that ends after the sign-out, nor stopped by one who waits no more', async () => {
      const session = expired();
      let asked = (): void => undefined;
      let answer = (): void => undefined;
      const isAsked = new Promise<void>((resolve) => (asked = resolve));
      const mayAnswer = new Promise<void>((resolve) => (answer = resolve));
      const slow: Fetch = async (at, init) => {
        if (!(at as string).endsWith('/refresh')) return fetch(at, init);
        asked();
        await mayAnswer;
        return fetch(at, init);
      };
      api = clientOf({ session, fetch: slow });
      const leaving = new AbortController();
      const [left, stayed] = [errorOf(api.getCurrentUser({}, { signal: leaving.signal })), errorOf(api.listProjects())];
      await isAsked;
      leaving.abort(new Error('left'));
      expect(await left).toEqual(new Error('left'));
      session.set(null);
      answer();
      expect(await stayed).toMatchObject({ status: 401, operation: 'listProjects' });
      expect(session.tokens).toBeNull();
    });
  });

  describe('a refusal', () => {
    it('is typed with the texts that its operation may return', async () => {
      const { organizationId: organization_id } = owner;
      const slug = (await api.listProjects())[0]?.slug ?? '';
      await app.rows(`UPDATE organizations SET plan = 'enterprise' WHERE id = $1`, [organization_id]);
      const error = await errorOf(api.createProject({ body: { organization_id, name: 'Again', slug } }));
      expect(isRefusal(error, 'createOrganization')).toBe(false);
      if (!isRefusal(error, 'createProject') || error.status !== 409) throw error;
      const detail: 'Slug already in use' = error.detail;
      expect(detail).toBe('Slug already in use');
      expect(error.message).toBe('createProject was refused with 409: Slug already in use');
      expect(error.requestId).toMatch(/./);
      expect(error.rows).toEqual([]);
    });

    it('has the typed members of its code when its detail is an object', async () => {
      const begun = { project_id: owner.projectId, key: 'backup.tar', size: 3 };
      const { id: upload_id } = await api.createUpload({ body: begun });
      const error = await errorOf(api.completeUpload({ path: { upload_id } }));
      if (!isRefusal(error, 'completeUpload') || error.status !== 409) throw error;
      const { detail } = error;
      if (detail === 'Object already exists' || detail.code !== 'upload_incomplete') throw error;
      expect(detail.missing_parts).toEqual([1]);
      expect(error.message).toBe(`completeUpload was refused with 409: upload_incomplete, ${detail.reason}`);
    });

    it('names the invalid fields, but not their values', async () => {
      const error = await errorOf(api.createProject({ body: { organization_id: 's3cret', name: '', slug: 'shop' } }));
      if (!isRefusal(error)) throw error;
      expect(error.rows.map(({ loc, type }) => [loc.join('.'), type])).toEqual([
        ['body.organization_id', 'uuid_parsing'],
        ['body.name', 'string_too_short'],
      ]);
      expect(error.message).toContain('body.name');
      expect(error.message).not.toContain('s3cret');
    });

    it('is not confused with the page of a proxy or a truncated answer', async () => {
      const page = (): Response =>
        new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'Content-Type': 'text/html' } });
      const half = (): Response =>
        new Response('{"deta', { status: 200, headers: { 'Content-Type': 'application/json' } });
      for (const [answer, status] of [
        [page, 502],
        [half, 200],
      ] as const) {
        const error = await errorOf(clientOf(watched(answer)).listProjects());
        expect(error).toBeInstanceOf(UnexpectedAnswer);
        expect(error).toMatchObject({ status, operation: 'listProjects' });
      }
    });

    it('is replaced by a TimeoutError when the service takes too long', async () => {
      const server = createServer(() => undefined).listen(0, '127.0.0.1');
      await once(server, 'listening');
      try {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        expect(await errorOf(clientOf({ url, timeoutMs: 20 }).listProjects())).toMatchObject({ name: 'TimeoutError' });
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
  });

  describe('a rate limit', () => {
    const limited = (retryAfter: string): Response =>
      new Response('{"detail":"Rate limit exceeded"}', {
        status: 429,
        headers: { 'Content-Type': 'application/json', 'Retry-After': retryAfter },
      });

    it('delays a request only as often and as long as the client allows', async () => {
      const soon = watched((_, count) => (count <= 2 ? limited('0') : null));
      expect((await clientOf(soon).getCurrentUser()).email).toBe(owner.email);
      expect(soon.paths).toHaveLength(3);
      const ever = watched(() => limited('0'));
      expect(await errorOf(clientOf({ ...ever, retries: 1 }).getCurrentUser())).toMatchObject({ status: 429 });
      expect(ever.paths).toHaveLength(2);
      const late = watched(() => limited('61'));
      expect(await errorOf(clientOf(late).getCurrentUser())).toMatchObject({ status: 429 });
      expect(late.paths).toHaveLength(1);
      const untold = watched(() => Response.json({ detail: 'Invitation limit reached' }, { status: 429 }));
      expect(await errorOf(clientOf(untold).getCurrentUser())).toMatchObject({ status: 429 });
      expect(untold.paths).toHaveLength(1);
      const date = watched((_, count) => (count === 1 ? limited('Sun, 06 Nov 1994 08:49:37 GMT') : null));
      expect((await clientOf(date).getCurrentUser()).email).toBe(owner.email);
    });

    it('says when the client may try again', async () => {
      const status = () => api.getBillingStatus({ query: { organization_id: owner.organizationId } });
      api = clientOf({ longestWaitMs: 0 });
      await status();
      await status();
      const error = await errorOf(status());
      if (!isRefusal(error, 'getBillingStatus') || error.status !== 429) throw error;
      expect(error.detail).toBe('Rate limit exceeded');
      expect(error.headers.get('X-RateLimit-Policy')).toBe('billing-status');
      expect(Number(error.headers.get('Retry-After'))).toBeGreaterThan(0);
    });

    it('does not delay a request that was aborted', async () => {
      const leaving = new AbortController();
      const { paths, fetch: refusing } = watched(() => {
        setImmediate(() => leaving.abort(new Error('left')));
        return limited('30');
      });
      const error = await errorOf(clientOf({ fetch: refusing }).getCurrentUser({}, { signal: leaving.signal }));
      expect(error).toEqual(new Error('left'));
      expect(paths).toHaveLength(1);
    });
  });

  describe('a list', () => {
    it('is read to its end with each item once, for every kind of paging', async () => {
      const { projectId: project_id } = owner;
      await ingest(5);
      for (const key of ['a/1', 'a/2', 'b/1', 'c', 'd']) {
        await api.uploadObject({ query: { project_id, key }, body: `This is ${key}` });
      }
      const counted = watched();
      api = clientOf(counted);
      const before = await all(each(api.listEvents, { query: { project_id, limit: 2 } }));
      expect(before.map(({ external_event_id: id }) => id).toSorted()).toEqual(
        [0, 1, 2, 3, 4].map((n) => `event-${n}`),
      );
      const after = await all(each(api.listObjects, { query: { project_id, limit: 2 } }));
      expect(after.map(({ key }) => key)).toEqual(['a/1', 'a/2', 'b/1', 'c', 'd']);
      const folders = await all(pages(api.listObjects, { query: { project_id, limit: 1, delimiter: '/' } }));
      expect(folders.flatMap(({ prefixes }) => prefixes)).toEqual(['a/', 'b/']);
      const offset = each(api.listProjectEvents, { path: { project_id }, query: { limit: 2, range: '24h' } });
      const seen: string[] = [];
      for await (const { external_event_id: id } of offset) {
        // What comes while it is read belongs to no page of it.
        if (seen.length === 1) await api.ingestEvent({ body: { event_type: 'order.paid', source: 'shop' } });
        seen.push(id ?? 'new');
      }
      expect(seen).toEqual([4, 3, 2, 1, 0].map((n) => `event-${n}`));
      expect(counted.paths.filter((path) => path.endsWith('/events'))).toHaveLength(6);
    });

    it('exists for every operation of the API document that has pages', async () => {
      const { projectId: project_id } = owner;
      const { id: source_id } = await createSource(app, owner);
      const query = { project_id, limit: 1 };
      const lists: Partial<Record<OperationName, AsyncIterable<unknown>>> = {
        listAlertDeliveries: each(api.listAlertDeliveries, { query }),
        listAlertEvents: each(api.listAlertEvents, { query }),
        listDeliveryAttempts: each(api.listDeliveryAttempts, { query }),
        listEvents: each(api.listEvents, { query }),
        listFindings: each(api.listFindings, { query }),
        listIngestSourceEvents: each(api.listIngestSourceEvents, { path: { source_id }, query: { limit: 1 } }),
        listIngestSourceFailures: each(api.listIngestSourceFailures, { path: { source_id }, query: { limit: 1 } }),
        listObjects: each(api.listObjects, { query }),
        listPerformanceEndpoints: each(api.listPerformanceEndpoints, { query }),
        listProjectActivity: each(api.listProjectActivity, { path: { project_id }, query: { limit: 1 } }),
        listProjectEvents: each(api.listProjectEvents, { path: { project_id } }),
        listRetryAudits: each(api.listRetryAudits, { query }),
        listSecurityEvents: each(api.listSecurityEvents, {}),
      };
      expect(Object.keys(lists)).toEqual(await pagedOperations());
      const counts = await Promise.all(
        Object.entries(lists).map(async ([name, items]) => [name, (await all(items)).length] as const),
      );
      const found = counts.filter(([, count]) => count > 0).map(([name]) => name);
      expect(found).toEqual(['listProjectActivity', 'listSecurityEvents']);
    });

    /** Those whose answer says where the next page begins. */
    const pagedOperations = async (): Promise<string[]> => {
      const document = JSON.parse(await readFile('docs/api/openapi.json', 'utf8')) as Paged;
      const { schemas } = document.components;
      const membersOf = (name: string): string[] => {
        const { properties = {}, allOf = [] } = schemas[name] ?? {};
        return [
          ...Object.keys(properties),
          ...allOf.flatMap(({ $ref = '' }) => membersOf($ref.split('/').pop() ?? '')),
        ];
      };
      const names = Object.keys(schemas)
        .filter((name) => membersOf(name).some((member) => ['offset', 'next_before', 'next_after'].includes(member)))
        .map((name) => `#/components/schemas/${name}"`);
      return Object.values(document.paths)
        .flatMap((item) => Object.values(item))
        .filter(({ responses }) => names.some((name) => JSON.stringify(responses).includes(name)))
        .map(({ operationId }) => operationId)
        .toSorted();
    };
  });

  it('sends and takes files of every form', async () => {
    const { projectId: project_id } = owner;
    const text = 'ein Stück Text';
    const form = new FormData();
    form.append('file', new Blob([text], { type: 'text/plain' }), 'form.txt');
    const bodies = {
      text,
      bytes: new TextEncoder().encode(text),
      blob: new Blob([text], { type: 'text/plain' }),
      form,
      stream: new Blob([text]).stream(),
    };
    for (const [key, body] of Object.entries(bodies)) {
      const { id } = await api.uploadObject({ query: { project_id, key }, body });
      const { download_url } = await api.getObject({ path: { object_id: id } });
      expect(await (await fetch(new URL(download_url ?? '', app.url))).text()).toBe(text);
    }
    await ingest(2);
    const exported = await api.exportProjectEvents({ path: { project_id }, body: { format: 'ndjson' } });
    expect((await exported.text()).trim().split('\n')).toHaveLength(2);
    const { id: secret_id } = await api.createSecret({ body: { project_id, name: 'GATEWAY', value: 'secret' } });
    expect(await api.deleteSecret({ path: { secret_id } })).toBeUndefined();
  });

  describe('a stream', () => {
    it('reconnects after each lost connection, and returns each message once', async () => {
      const { projectId: project_id } = owner;
      await ingest(3);
      const causes: unknown[] = [];
      let connections = 0;
      // The first connection is cut in the middle of a message, the second try finds nobody, the third a restart.
      const cut: Fetch = async (at, init) => {
        connections += 1;
        if (connections === 2) throw new TypeError('fetch failed');
        if (connections === 3)
          return new Response('{"detail":"Service overloaded"}', {
            status: 503,
            headers: { 'Content-Type': 'application/json' },
          });
        const answer = await fetch(at, init);
        if (connections > 1 || answer.body === null) return answer;
        let left = 900;
        const cutting = new TransformStream<Uint8Array, Uint8Array>({
          transform: (chunk, controller) => {
            controller.enqueue(chunk.subarray(0, left));
            left -= chunk.length;
            if (left <= 0) controller.error(new TypeError('terminated'));
          },
        });
        return new Response(answer.body.pipeThrough(cutting), answer);
      };
      api = clientOf({ fetch: cut });
      const ids: (string | null)[] = [];
      const reading = stream(
        api.streamEvents,
        { query: { project_id } },
        { onReconnect: (cause) => causes.push(cause) },
      );
      for await (const { event } of reading) {
        ids.push(event.external_event_id);
        if (ids.length === 3)
          await api.ingestEvent({ body: { event_type: 'order.sent', source: 'shop', event_id: 'last' } });
        if (ids.length === 4) break;
      }
      expect(ids).toEqual(['event-0', 'event-1', 'event-2', 'last']);
      expect(connections).toBe(5);
      expect(causes).toHaveLength(3);
    });

    it('returns an alert event again when the event has changed', async () => {
      const { projectId: project_id } = owner;
      const { id } = await api.createAlertEvent({ body: { project_id, severity: 'critical', message: 'Look' } });
      const statuses: string[] = [];
      for await (const { alert_event } of stream(api.streamAlertEvents, { query: { project_id } })) {
        statuses.push(alert_event.status);
        if (statuses.length === 2) break;
        await api.acknowledgeAlertEvent({ path: { alert_event_id: id } });
      }
      expect(statuses).toEqual(['open', 'acknowledged']);
    });

    it('ends with an error when it is aborted, when it is refused and when its session ends', async () => {
      const { projectId: project_id } = owner;
      const leaving = new AbortController();
      const heartbeats = stream(
        api.streamLogs,
        { query: { project_id } },
        { signal: leaving.signal, onHeartbeat: () => leaving.abort(new Error('left')) },
      );
      expect(await errorOf(all(heartbeats))).toEqual(new Error('left'));
      const foreign = await ownerWithProject(app);
      const refused = stream(api.streamLogs, { query: { project_id: foreign.projectId } });
      expect(await errorOf(all(refused))).toMatchObject({ status: 403, detail: 'Not a project member' });
      let isEnding = false;
      const end = async (): Promise<void> => {
        if (isEnding) return;
        isEnding = true;
        const other = createClient({ url: app.url });
        await other.logIn({ body: { username: owner.email, password: PASSWORD } });
        await other.revokeOtherSessions();
      };
      const ending = stream(api.streamLogs, { query: { project_id } }, { onHeartbeat: () => void end() });
      expect(await errorOf(all(ending))).toMatchObject({ status: 401, detail: 'Not authenticated' });
    });

    it('reconnects when its connection is silent for too long', async () => {
      const opened: (() => void)[] = [];
      const silent: RequestListener = (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
        response.on('close', () => opened.pop()?.());
      };
      const server = createServer(silent).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const closed = new Promise<void>((resolve) => opened.push(resolve));
      try {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const leaving = new AbortController();
        let cause: unknown;
        const reading = stream(
          clientOf({ url }).streamLogs,
          { query: { project_id: owner.projectId } },
          {
            signal: leaving.signal,
            idleMs: 20,
            onReconnect: (told) => {
              cause = told;
              leaving.abort(new Error('left'));
            },
          },
        );
        expect(await errorOf(all(reading))).toEqual(new Error('left'));
        expect(cause).toMatchObject({ name: 'ConnectionLost', cause: new Error('Nothing came for 20 ms') });
        await closed;
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });

    it('closes its connection when the reader stops', async () => {
      await ingest(1);
      for await (const { log } of stream(api.streamLogs, { query: { project_id: owner.projectId } })) {
        expect(log.id).toMatch(/./);
        break;
      }
      const registry = app.nest.get(OpenStreamRegistry, { strict: false });
      await eventually(
        () => registry.count,
        (open) => open === 0,
      );
    });
  });
});
