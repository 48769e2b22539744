import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { LargeBodies } from '../../../src/platform/http/large-bodies.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { answersIn, converse } from '../../support/raw-requests.js';

describe('a request over HTTP', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createApiApp();
    owner = await ownerWithProject(app);
  });
  afterAll(() => app.close());

  const ingest = () => app.request().post('/v1/events/ingest').set('X-API-Key', owner.apiKey);
  const rowCounts = async () => {
    const tables = ['users', 'sessions', 'organizations', 'projects', 'api_keys', 'events', 'user_tokens'];
    const counts = tables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
    return (
      await app.rows(
        `SELECT ${counts.join(', ')}, (SELECT coalesce(sum(events_ingested), 0) FROM usage_daily) AS metered`,
      )
    )[0];
  };

  it('is answered with 408 when it does not come in time', async () => {
    const server = app.nest.getHttpServer();
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    const begin =
      'POST /v1/auth/register HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n';
    for (const bytes of [begin, `${begin}\r\n{"a"`]) {
      // Node does this every few seconds with connections that are too slow.
      server.once('connection', (socket: Socket) => {
        socket.once('data', () => setImmediate(() => setImmediate(() => server.emit('clientError', late, socket))));
      });
      expect(answersIn(await converse(app.url, [bytes]))).toEqual([
        { status: 408, detail: 'Request Timeout', hasId: true, isProtected: true },
      ]);
    }
  });

  describe('a large body whose sender goes away', () => {
    afterEach(() => void jest.restoreAllMocks());

    /** Sends a large body over a socket of its own, and reports when its slot is acquired and released. */
    function send(path: string, credential: string, fields: object) {
      const slots = app.nest.get(LargeBodies, { strict: false });
      const acquire = slots.acquire.bind(slots);
      const isOver = jest.fn();
      let asked: () => void = () => undefined;
      const hasAsked = new Promise<void>((resolve) => (asked = resolve));
      const begun = new Promise<void>((resolve) => {
        jest.spyOn(slots, 'acquire').mockImplementation(async (holder) => {
          asked();
          const { rest, end } = await acquire(holder);
          resolve();
          const ended = (): void => {
            isOver();
            end();
          };
          return { rest, end: ended };
        });
      });
      const hasLeft = new Promise<void>((resolve) => {
        const server = app.nest.getHttpServer();
        server.once('connection', (socket: Socket) => socket.once('close', () => resolve()));
      });
      const { hostname, port } = new URL(app.url);
      const body = JSON.stringify({ ...fields, filler: 'x'.repeat(50_000) });
      const socket = connect(Number(port), hostname);
      socket.write(
        [
          `POST ${path} HTTP/1.1`,
          'Host: localhost',
          credential,
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
          '',
          body,
        ].join('\r\n'),
      );
      const leave = async (): Promise<void> => {
        socket.destroy();
        await hasLeft;
      };
      return { isOver, hasAsked, begun, leave };
    }

    it('is not read when the sender leaves before it has a slot, and passes the slot on', async () => {
      const before = await rowCounts();
      const { end } = await app.nest.get(LargeBodies, { strict: false }).acquire('somebody else');
      const sender = send('/v1/events/ingest', `X-API-Key: ${owner.apiKey}`, { event_type: 'e', source: 's' });
      await sender.hasAsked;
      await sender.leave();
      end();
      await sender.begun;
      await eventually(
        () => Promise.resolve(sender.isOver.mock.calls.length),
        (times) => times > 0,
      );
      expect(await rowCounts()).toEqual(before);
      await ingest()
        .send({ event_type: 'e', source: 's', payload: { filler: 'x'.repeat(50_000) } })
        .expect(200);
    });

    it('releases its slot when the sender leaves while the request waits for the database', async () => {
      const client = new pg.Client({ connectionString: app.databaseUrl });
      await client.connect();
      try {
        await client.query('BEGIN');
        await client.query('LOCK TABLE organizations IN ACCESS EXCLUSIVE MODE');
        const sender = send('/v1/organizations', `Authorization: ${owner.bearer}`, { name: 'Late', slug: 'late' });
        await sender.begun;
        expect(sender.isOver).not.toHaveBeenCalled();
        await sender.leave();
        expect(sender.isOver).toHaveBeenCalled();
      } finally {
        await client.end();
      }
    });
  });

  it('is not logged at level error when its client breaks it off, whatever the route', async () => {
    const { bearer, apiKey, projectId } = await ownerWithProject(app);
    const { paths } = (await app.request().get('/openapi.json').expect(200)).body as {
      paths: Record<string, Record<string, object>>;
    };
    // Each route answers in its own way, so this covers all of them but those that would end the session or the project.
    const targets = Object.entries(paths)
      .flatMap(([path, item]) => Object.keys(item).map((method) => [method.toUpperCase(), path] as const))
      .filter(([method, path]) => method === 'GET' || !/logout|revoke|archive|delete|password/.test(path))
      .map(([method, path]) => {
        const named = path
          .replace('{project_id}', projectId)
          .replace(/\{\w+\}/g, '0199f3a1-0000-7000-8000-000000000000');
        return `${method} ${named}?project_id=${projectId}`;
      });
    expect(targets.length).toBeGreaterThan(180);
    const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n';
    const endings: [bytes: string, authorization: string, resets: boolean][] = [
      [`${CHUNKED}zz\r\n`, 'Bearer x', false],
      [`${CHUNKED}2\r\n{}\r\nzz\r\n`, bearer, false],
      ['Content-Length: 100\r\n\r\n{', bearer, true],
      ['\r\n', bearer, true],
    ];
    const { hostname, port } = new URL(app.url);
    const breakOff = (target: string, [bytes, authorization, resets]: (typeof endings)[number]): Promise<void> =>
      new Promise((resolve) => {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => undefined).on('close', () => resolve());
        socket.resume();
        const head = [`${target} HTTP/1.1`, 'Host: a', `Authorization: ${authorization}`, `X-API-Key: ${apiKey}`];
        socket.write([...head, 'Content-Type: application/json', bytes].join('\r\n'), () => {
          // The server is in this process, and has read the request after some turns of the event loop.
          if (resets) setImmediate(() => setImmediate(() => setImmediate(() => socket.resetAndDestroy())));
        });
      });
    const seen = app.logLines.length;
    for (const ending of endings) {
      for (let at = 0; at < targets.length; at += 25)
        await Promise.all(targets.slice(at, at + 25).map((target) => breakOff(target, ending)));
    }
    await app.request().get('/health').expect(200);
    const loud = app.logLines.slice(seen).filter((line) => /"level":"(?:error|fatal)"/.test(line));
    expect(loud).toEqual([]);
  });

  it('returns 500 without the cause of an unexpected fault, which the log has under the request id', async () => {
    const broken = await createApiApp();
    try {
      const other = await ownerWithProject(broken);
      await broken.rows('ALTER TABLE events RENAME COLUMN log_method TO elsewhere');
      const answer = await broken
        .request()
        .get('/v1/logs')
        .set('Authorization', other.bearer)
        .set('X-Request-ID', 'look-me-up')
        .query({ project_id: other.projectId });
      expect([answer.status, answer.body]).toEqual([500, { detail: 'Internal Server Error' }]);
      const line = broken.logLines
        .map((text) => JSON.parse(text) as { level: string; request_id?: string })
        .find((entry) => entry.level === 'error' && entry.request_id === 'look-me-up');
      expect(JSON.stringify(line)).toContain('log_method');
    } finally {
      await broken.close();
    }
  });

  it.each([
    ['off', []],
    ['errors', [499, 500]],
    ['all', [404, 499, 500]],
  ] as const)('is logged as ACCESS_LOG=%s says although LOG_LEVEL is warn', async (setting, statuses) => {
    const quiet = await createApiApp({ env: { LOG_LEVEL: 'warn', ACCESS_LOG: setting } });
    try {
      await quiet.rows('ALTER TABLE user_tokens RENAME TO elsewhere');
      const socket = connect(Number(new URL(quiet.url).port), '127.0.0.1');
      socket.write(
        'POST /v1/auth/refresh HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
      );
      await quiet.request().get('/v1/nope').expect(404);
      await quiet.request().get('/health').expect(200);
      await quiet.request().post('/v1/auth/verify-email').send({ email: owner.email, token: 'a' }).expect(500);
      socket.on('error', () => undefined).resetAndDestroy();
      await eventually(
        () => quiet.metrics(),
        (text) => text.includes('status="aborted"'),
      );
      const lines = quiet.logLines.map((text) => JSON.parse(text) as Record<string, unknown>);
      const written = lines.filter(({ message }) => message === 'request');
      expect(written.map(({ status }) => status).sort()).toEqual(statuses);
      for (const line of written) expect(typeof line.duration_ms).toBe('number');
      const aborted = written.filter((line) => line.aborted === true);
      expect(aborted.map(({ status }) => status)).toEqual(statuses.filter((status) => status === 499));
    } finally {
      await quiet.close();
    }
  });
});
