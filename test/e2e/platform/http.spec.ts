import { connect, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { LargeBodies } from '../../../src/platform/http/large-bodies.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/service-process.js';

const ENCODINGS = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const;
const ORIGIN = 'https://app.example.com';

describe('what every answer has in common', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createTestApp({ env: { CORS_ORIGINS: ORIGIN, MAX_BODY_BYTES: '100000' } });
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
  /** Bytes as they are, past any client's good manners. */
  const raw = (lines: string[], body: Buffer | string = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(app.url);
      const socket = connect(Number(port), hostname);
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
      socket.on('error', reject);
      socket.write(`${[...lines, 'Host: localhost', 'Connection: close'].join('\r\n')}\r\n\r\n`);
      socket.write(body);
    });

  describe('routes', () => {
    it('answers unknown ones with 404', async () => {
      for (const path of [
        '/',
        '/v1',
        '/v1/nope',
        '/v2/logs',
        '/v1/logs/',
        '/V1/logs',
        '/v1/Organizations',
        '/%E0%A4%A',
        '/v1/projects/%ZZ',
      ]) {
        const answer = await app.request().get(path).set('Authorization', owner.bearer);
        expect([path, answer.status, answer.body]).toEqual([path, 404, { detail: 'Not Found' }]);
      }
    });

    it('answers a wrong method with 405 and says which are right', async () => {
      const answer = await app.request().delete('/v1/organizations').expect(405, { detail: 'Method Not Allowed' });
      expect(answer.headers.allow).toBe('GET, HEAD, POST');
      const login = await app.request().get('/v1/auth/login').expect(405);
      expect(login.headers.allow).toBe('POST');
      const project = await app.request().put(`/v1/projects/${owner.projectId}`).expect(405);
      expect(project.headers.allow).toBe('DELETE, GET, HEAD, PATCH');
    });

    it('answers HEAD without a body', async () => {
      const answer = await app.request().head('/v1/organizations').set('Authorization', owner.bearer).expect(200);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.text).toBeUndefined();
    });
  });

  describe('requests that break the protocol', () => {
    /** Bytes in parts over one connection, until the service closes it; `between` waits for what `sent` answers. */
    const conversation = (parts: readonly (string | Buffer)[]): Promise<string> =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(app.url);
        const socket = connect(Number(port), hostname);
        const chunks: Buffer[] = [];
        const rest = [...parts];
        const next = (): void => {
          const part = rest.shift();
          if (part !== undefined) socket.write(part);
        };
        socket.on('connect', next);
        socket.on('data', (chunk) => {
          chunks.push(chunk);
          next();
        });
        socket.on('end', () => socket.end());
        socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
        socket.on('error', reject);
      });
    /** The answers in a stream of them. */
    const answersIn = (text: string) =>
      text
        .split(/(?=HTTP\/1\.1 \d{3} )/)
        .filter(Boolean)
        .map((answer) => {
          const [head = '', body = ''] = answer.split('\r\n\r\n');
          const headers = head.toLowerCase();
          return {
            status: Number(head.split(' ')[1]),
            hasId: /\r\nx-request-id: [\x21-\x7e]+(\r\n|$)/.test(headers),
            isProtected:
              headers.includes('\r\nx-content-type-options: nosniff') &&
              headers.includes('\r\ncache-control: no-store'),
            detail: body.startsWith('{') ? (JSON.parse(body) as { detail?: unknown }).detail : undefined,
          };
        });
    const HEALTH = 'GET /ready HTTP/1.1\r\nHost: a\r\n\r\n';
    const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`;
    const BROKEN: [what: string, bytes: string, status: number, detail: string][] = [
      [
        'a request line of 17 KB',
        head(`GET /${'x'.repeat(17_000)} HTTP/1.1`, 'Host: a'),
        431,
        'Request Header Fields Too Large',
      ],
      [
        'a header of 20 KB',
        head('GET / HTTP/1.1', 'Host: a', `X: ${'x'.repeat(20_000)}`),
        431,
        'Request Header Fields Too Large',
      ],
      [
        '201 headers',
        head('GET / HTTP/1.1', 'Host: a', ...Array<string>(200).fill('X: 1')),
        431,
        'Request Header Fields Too Large',
      ],
      [
        '3,000 headers',
        head('GET / HTTP/1.1', 'Host: a', ...Array<string>(3_000).fill('X:')),
        431,
        'Request Header Fields Too Large',
      ],
      ['no protocol', head('NONSENSE'), 400, 'Bad Request'],
      ['an unknown method', head('FOO / HTTP/1.1', 'Host: a'), 400, 'Bad Request'],
      ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'Bad Request'],
      ['no Host', head('GET /ready HTTP/1.1'), 400, 'Bad Request'],
      ...[
        'a b/<script>',
        '',
        'user@a',
        'a/b',
        'a?b',
        'a#b',
        '"a"',
        'a,b',
        'a:b',
        'a:',
        'a:123456',
        '[::1',
        'a\tb',
        'h\u00f6st',
        '%61',
      ].map((host): [string, string, number, string] => [
        `the Host ${JSON.stringify(host)}`,
        head('GET /ready HTTP/1.1', `Host: ${host}`),
        400,
        'Bad Request',
      ]),
      ['two Hosts', head('GET /ready HTTP/1.1', 'Host: a', 'Host: b'), 400, 'Bad Request'],
      [
        'an expectation',
        head('GET /ready HTTP/1.1', 'Host: a', 'Expect: miracles', 'Connection: close'),
        417,
        'Expectation Failed',
      ],
      ['two lengths', head('POST / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Content-Length: 2'), 400, 'Bad Request'],
      [
        'a length and chunks',
        head('POST / HTTP/1.1', 'Host: a', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
        400,
        'Bad Request',
      ],
      ['an unknown coding', head('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: rot13'), 400, 'Bad Request'],
      [
        'a coding below the chunks',
        `${head('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`,
        400,
        'Bad Request',
      ],
      ['lines that end in LF alone', 'GET / HTTP/1.1\nHost: a\n\n', 400, 'Bad Request'],
      ['a name with a blank', head('GET / HTTP/1.1', 'Host: a', 'X Y: 1'), 400, 'Bad Request'],
      ['CONNECT', head('CONNECT example.com:443 HTTP/1.1', 'Host: example.com'), 405, 'Method Not Allowed'],
      [
        'a body whose chunks are none',
        `${head('POST /v1/auth/register HTTP/1.1', 'Host: a', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}zz\r\n`,
        400,
        'Bad Request',
      ],
    ];

    it.each(BROKEN)('are answered in the documented form: %s', async (_, bytes, status, detail) => {
      const whole = { hasId: true, isProtected: true };
      expect(answersIn(await conversation([bytes]))).toEqual([{ status, detail, ...whole }]);
      // The same behind an answer, and behind one that is still being made.
      const before = { status: 200, detail: undefined, ...whole };
      expect(answersIn(await conversation([HEALTH, bytes]))).toEqual([before, { status, detail, ...whole }]);
      expect(answersIn(await conversation([`${HEALTH}${HEALTH}${bytes}`]))).toEqual([
        before,
        before,
        { status, detail, ...whole },
      ]);
    });

    it('are answered when they do not come in time', async () => {
      const server = app.nest.getHttpServer();
      const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      const begin =
        'POST /v1/auth/register HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n';
      for (const bytes of [begin, `${begin}\r\n{"a"`]) {
        // What Node does every few seconds with connections that are too slow.
        server.once('connection', (socket: Socket) => {
          socket.once('data', () => setImmediate(() => setImmediate(() => server.emit('clientError', late, socket))));
        });
        expect(answersIn(await conversation([bytes]))).toEqual([
          { status: 408, detail: 'Request Timeout', hasId: true, isProtected: true },
        ]);
      }
    });

    it('leave a line in the log that the request id finds', async () => {
      const text = await conversation([head('NONSENSE')]);
      const id = /x-request-id: (\S+)/i.exec(text)?.[1];
      const line = app.logLines
        .map((one) => JSON.parse(one) as Record<string, unknown>)
        .find((one) => one.request_id === id);
      expect(line).toMatchObject({ message: 'request', status: 400, code: expect.stringMatching(/^HPE_/) });
    });

    it('keep the X-Request-ID that was sent, when it is a good one', async () => {
      const idOf = async (bytes: string): Promise<string | undefined> =>
        /x-request-id: (\S+)/i.exec(await conversation([bytes]))?.[1];
      const target = 'GET /caf\u00e9 HTTP/1.1';
      expect(await idFor([target, 'Host: a', 'X-Request-ID: mine-1'])).toBe('mine-1');
      expect(await idFor([target, 'x-request-id:  mine/2 ', 'Host: a'])).toBe('mine/2');
      expect(await idFor(['GET / HTTP/1.1', 'X-Request-ID: mine-3', 'X Y: 1'])).toBe('mine-3');
      expect(await idFor(['CONNECT a:443 HTTP/1.1', 'Host: a', 'X-Request-ID: mine-4'])).toBe('mine-4');
      const made = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;
      for (const bad of [
        'X-Request-ID: a b',
        'X-Request-ID:',
        `X-Request-ID: ${'x'.repeat(129)}`,
        'X-Request-ID: a\r\nX-Request-ID: b',
      ])
        expect(await idFor([target, bad, 'Host: a'])).toMatch(made);
      // What stands in the body of another request is no header.
      expect(await idOf(`${head(target, 'Host: a')}X-Request-ID: of-the-body\r\n`)).toMatch(made);

      function idFor(lines: string[]): Promise<string | undefined> {
        return idOf(head(...lines));
      }
    });

    it('are told from odd ones, which are answered like any other', async () => {
      const odd: [string, number][] = [
        [head('GET http://other.example/ready HTTP/1.1', 'Host: a', 'Connection: close'), 200],
        [head('GET /ready HTTP/1.0'), 200],
        [head('GET /ready HTTP/1.1', 'Host: [::1]:3000', 'Connection: close'), 200],
        [head('GET /ready HTTP/1.1', 'Host: my_host.Example.com.:80', 'Connection: close'), 200],
        [head('OPTIONS * HTTP/1.1', 'Host: a', 'Connection: close'), 204],
        [head('PROPFIND /v1/organizations HTTP/1.1', 'Host: a', 'Connection: close'), 405],
        [head('TRACE /v1/organizations HTTP/1.1', 'Host: a', 'Connection: close'), 405],
        [head('GET // HTTP/1.1', 'Host: a', 'Connection: close'), 404],
        [head('GET /v1/projects/%00 HTTP/1.1', 'Host: a', 'Connection: close'), 401],
        [head('GET /ready HTTP/1.1', 'Host: a', 'Connection: Upgrade, close', 'Upgrade: websocket'), 200],
        [head('GET /ready HTTP/1.1', 'Host: a', 'Connection: close', ...Array<string>(150).fill('X: 1')), 200],
      ];
      for (const [bytes, status] of odd) {
        const [answer, ...more] = answersIn(await conversation([bytes]));
        expect([bytes, answer?.status, answer?.hasId, answer?.isProtected]).toEqual([bytes, status, true, true]);
        expect(more).toEqual([]);
        if (status >= 400) expect(answer?.detail).toEqual(expect.any(String));
      }
    });
  });

  describe('parameters', () => {
    const TOO_MANY = (place: string) => ({
      detail: [
        {
          type: 'value_error',
          loc: [place],
          msg: `Value error, ${place} must not have more than 1000 parameters`,
          input: null,
          ctx: { error: {} },
        },
      ],
    });

    it('never vanish in silence, however many come', async () => {
      const logs = (text: string) => app.request().get(`/v1/logs?${text}`).set('Authorization', owner.bearer);
      const filler = '&'.repeat(998);
      await logs(`${filler}project_id=${owner.projectId}`).expect(200);
      await logs(`${filler}&a&project_id=${owner.projectId}`).expect(422, TOO_MANY('query'));
      await logs(`project_id=${owner.projectId}&${'level=info&'.repeat(1_000)}`).expect(422, TOO_MANY('query'));
    });

    it('of a form are bounded before they are taken apart', async () => {
      const login = (text: string) => app.request().post('/v1/auth/login').type('form').send(text);
      await login('a&'.repeat(5_000)).expect(422, TOO_MANY('body'));
      await login(`${'&'.repeat(998)}username=a%40example.com&password=x`).expect(401);
    });
  });

  describe('request ids', () => {
    it('echoes one of 1 to 128 visible characters and makes one otherwise', async () => {
      const idFor = async (given?: string) => {
        const request = app.request().get('/health');
        if (given !== undefined) void request.set('X-Request-ID', given);
        return (await request).headers['x-request-id'] as string;
      };
      expect(await idFor('my-request/42')).toBe('my-request/42');
      expect(await idFor('x'.repeat(128))).toBe('x'.repeat(128));
      for (const bad of [undefined, 'x'.repeat(129), 'has space', ''])
        expect(await idFor(bad)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    });

    it('finds the log lines of a request', async () => {
      await app.request().get('/v1/nope').set('X-Request-ID', 'find-me-in-the-log').expect(404);
      const line = app.logLines
        .map((text) => JSON.parse(text) as Record<string, unknown>)
        .find((entry) => entry.request_id === 'find-me-in-the-log');
      expect(line).toMatchObject({ message: 'request', method: 'GET', status: 404, duration_ms: expect.any(Number) });
    });
  });

  describe('headers', () => {
    it('carry the usual protection and do not name the framework', async () => {
      const { headers } = await app.request().get('/health').expect(200);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'strict-transport-security': expect.stringContaining('max-age='),
      });
      expect(headers['cache-control']).toBe('no-store');
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('etag');
    });

    it('allow configured origins alone, and expose what clients read', async () => {
      const preflight = await app
        .request()
        .options('/v1/auth/login')
        .set('Origin', ORIGIN)
        .set('Access-Control-Request-Method', 'POST')
        .expect(204);
      expect(preflight.headers['access-control-allow-origin']).toBe(ORIGIN);
      const answer = await app.request().get('/health').set('Origin', ORIGIN);
      const exposed = String(answer.headers['access-control-expose-headers'])
        .split(',')
        .map((name) => name.trim());
      expect(exposed).toEqual(
        expect.arrayContaining([
          'X-Request-ID',
          'Retry-After',
          'X-RateLimit-Remaining',
          'X-Service-Block-Reason',
          'X-Trusted-Device-Token',
        ]),
      );
      const foreign = await app.request().get('/health').set('Origin', 'https://evil.example');
      expect(foreign.headers).not.toHaveProperty('access-control-allow-origin');
    });
  });

  describe('bodies', () => {
    const valid = { event_type: 'a', source: 'b' };

    it('are limited in size, also when they do not say it', async () => {
      const before = await rowCounts();
      const large = JSON.stringify({ ...valid, payload: { text: 'x'.repeat(100_000) } });
      await ingest().type('json').send(large).expect(413, { detail: 'Request body too large' });
      const chunked = `${Buffer.byteLength(large).toString(16)}\r\n${large}\r\n0\r\n\r\n`;
      const head = ['POST /v1/events/ingest HTTP/1.1', `X-API-Key: ${owner.apiKey}`, 'Content-Type: application/json'];
      expect(await raw([...head, 'Transfer-Encoding: chunked'], chunked)).toMatch(/^HTTP\/1\.1 413 /);
      for (const [encoding, compress] of ENCODINGS) {
        const bomb = compress(Buffer.alloc(10_000_000, 0x20));
        const lines = [...head, `Content-Encoding: ${encoding}`, `Content-Length: ${bomb.length}`];
        expect(await raw(lines, bomb)).toMatch(/^HTTP\/1\.1 413 /);
      }
      expect(await rowCounts()).toEqual(before);
    });

    it('may be compressed', async () => {
      const bearing = [`X-API-Key: ${owner.apiKey}`, 'Content-Type: application/json'];
      const send = (path: string, encoding: string, body: Buffer, ...lines: string[]) =>
        raw(
          [`POST ${path} HTTP/1.1`, ...lines, `Content-Encoding: ${encoding}`, `Content-Length: ${body.length}`],
          body,
        );
      const text = Buffer.from(JSON.stringify(valid));
      for (const [encoding, compress] of ENCODINGS) {
        const whole = compress(text);
        expect(await send('/v1/events/ingest', encoding.toUpperCase(), whole, ...bearing)).toMatch(/^HTTP\/1\.1 200 /);
        const broken = [text, whole.subarray(0, -3), Buffer.from([0xff]), Buffer.from(whole).reverse()];
        for (const body of broken) {
          const refusal = /^HTTP\/1\.1 422 [\s\S]*"msg":"JSON decode error"/;
          expect(await send('/v1/events/ingest', encoding, body, ...bearing)).toMatch(refusal);
          expect(await send('/v1/auth/register', encoding, body, 'Content-Type: application/json')).toMatch(refusal);
        }
      }
      for (const encoding of ['rot13', 'zstd', 'gzip, gzip', 'constructor']) {
        expect(await send('/v1/events/ingest', encoding, text, ...bearing)).toMatch(
          /\r\nAccept-Encoding: gzip, deflate, br\r\n/,
        );
        expect(await send('/v1/events/ingest', encoding, text, ...bearing)).toMatch(/^HTTP\/1\.1 415 /);
      }
      expect(await send('/v1/events/ingest', 'identity', text, ...bearing)).toMatch(/^HTTP\/1\.1 200 /);
    });

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json; charset=utf-16',
      'nonsense',
    ])('of type %s are refused on a JSON route', async (type) => {
      await ingest()
        .set('Content-Type', type)
        .send(JSON.stringify(valid))
        .expect(415, { detail: 'Unsupported Media Type' })
        .expect('Accept-Post', 'application/json, application/x-ndjson');
      await app
        .request()
        .patch(`/v1/projects/${owner.projectId}`)
        .set('Authorization', owner.bearer)
        .set('Content-Type', type)
        .send(JSON.stringify({ name: 'Other' }))
        .expect(415)
        .expect('Accept-Patch', 'application/json');
    });

    it('may say their charset', async () => {
      await ingest().set('Content-Type', 'application/json; charset=UTF-8').send(JSON.stringify(valid)).expect(200);
    });

    it.each([
      ['truncated', '{"event_type":"a","sou'],
      ['empty quotes', '""{'],
      ['a trailing comma', '{"event_type":"a",}'],
      ['single quotes', "{'event_type':'a'}"],
      ['NaN', '{"event_type":"a","source":"b","payload":{"x":NaN}}'],
      ['a bare word', 'hello'],
      ['a control character in a string', '{"event_type":"a\nb","source":"b"}'],
    ])('that are no JSON (%s) are refused with a position', async (_, text) => {
      const answer = await ingest().type('json').send(text).expect(422);
      expect((answer.body as { detail: unknown }).detail).toEqual([
        {
          type: 'json_invalid',
          loc: ['body', expect.any(Number)],
          msg: 'JSON decode error',
          input: {},
          ctx: { error: expect.any(String) },
        },
      ]);
    });

    describe('that are large and whose sender goes away', () => {
      afterEach(() => void jest.restoreAllMocks());

      /** Sends a large body over a socket of its own, and tells of what becomes of its turn. */
      function send(path: string, credential: string, fields: object) {
        const turns = app.nest.get(LargeBodies, { strict: false });
        const turn = turns.turn.bind(turns);
        const isOver = jest.fn();
        let asked: () => void = () => undefined;
        const hasAsked = new Promise<void>((resolve) => (asked = resolve));
        const begun = new Promise<void>((resolve) => {
          jest.spyOn(turns, 'turn').mockImplementation(async (holder) => {
            asked();
            const { rest, end } = await turn(holder);
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

      it('before their turn are not read, and the turn passes on', async () => {
        const before = await rowCounts();
        const { end } = await app.nest.get(LargeBodies, { strict: false }).turn('somebody else');
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

      it('while they wait for the database hold up nobody else', async () => {
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

    it('with invalid UTF-8, too much depth or numbers too large are refused', async () => {
      const before = await rowCounts();
      const head = ['POST /v1/events/ingest HTTP/1.1', `X-API-Key: ${owner.apiKey}`, 'Content-Type: application/json'];
      const broken = Buffer.concat([
        Buffer.from('{"event_type":"a'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('","source":"b"}'),
      ]);
      expect(await raw([...head, `Content-Length: ${broken.length}`], broken)).toMatch(
        /^HTTP\/1\.1 422 [\s\S]*json_invalid/,
      );
      for (const payload of [
        `${'['.repeat(900)}${']'.repeat(900)}`,
        `{"n":1e999}`,
        `{"a":${'{"a":'.repeat(80)}1${'}'.repeat(80)}}`,
      ]) {
        const answer = await ingest()
          .type('json')
          .send(`{"event_type":"a","source":"b","payload":{"deep":${payload}}}`)
          .expect(422);
        expect((answer.body as { detail: object[] }).detail).toMatchObject([{ type: 'value_error' }]);
      }
      const unparsed = await ingest()
        .type('json')
        .send(`{"event_type":"a","source":"b","unknown":${'['.repeat(40_000)}${']'.repeat(40_000)}}`)
        .expect(422);
      expect((unparsed.body as { detail: object[] }).detail).toMatchObject([
        { type: 'json_invalid', loc: ['body', 1_040], ctx: { error: 'Nested deeper than 1000 levels' } },
      ]);
      expect(await rowCounts()).toEqual(before);
    });

    it('take the last value of a repeated key', async () => {
      const answer = await ingest()
        .type('json')
        .send('{"event_type":"first","event_type":"last","source":"b"}')
        .expect(200);
      expect((answer.body as { event_type: string }).event_type).toBe('last');
    });

    it('do not have to be there when no field is required', async () => {
      const key = (
        await app
          .request()
          .post('/v1/api-keys')
          .set('Authorization', owner.bearer)
          .send({ project_id: owner.projectId, name: 'k' })
          .expect(201)
      ).body as { id: string };
      await app.request().post(`/v1/api-keys/${key.id}/revoke`).set('Authorization', owner.bearer).expect(200);
    });

    it('missing where a field is required, or null, are one row', async () => {
      const missing = { detail: [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }] };
      await ingest().expect(422, missing);
      await ingest().type('json').send('null').expect(422, missing);
    });
  });

  it('never answers 500 to hostile inputs and changes nothing', async () => {
    const before = await rowCounts();
    const strings = [
      '',
      ' ',
      '\u0000',
      'a\u0000b',
      '\ud800',
      '💥'.repeat(300),
      'x'.repeat(50_000),
      "'; DROP TABLE users; --",
      '%00',
      '../../etc/passwd',
      '{{7*7}}',
      '\u202eabc',
      '0x10',
      '1e5',
      '-1',
      'null',
      '[]',
      '{}',
    ];
    const others = [0, -1, 1.5, 1e308, true, null, [], {}, [[]], { a: { b: {} } }];
    const answers: [string, number][] = [];
    const note = (what: string, { status }: { status: number }) => answers.push([what, status]);
    for (const value of [...strings, ...others]) {
      const shown = JSON.stringify(value).slice(0, 40);
      note(
        `register ${shown}`,
        await app.request().post('/v1/auth/register').send({ email: value, password: value, name: value }),
      );
      note(
        `login ${shown}`,
        await app
          .request()
          .post('/v1/auth/login')
          .type('form')
          .send({ username: JSON.stringify(value), password: JSON.stringify(value) }),
      );
      note(`refresh ${shown}`, await app.request().post('/v1/auth/refresh').send({ refresh_token: value }));
      note(
        `ingest ${shown}`,
        await ingest().send({ event_type: value, source: value, timestamp: value, payload: value }),
      );
      note(
        `project ${shown}`,
        await app
          .request()
          .post('/v1/projects')
          .set('Authorization', owner.bearer)
          .send({ organization_id: value, name: value, slug: value }),
      );
      note(
        `organization ${shown}`,
        await app
          .request()
          .post('/v1/organizations')
          .set('Authorization', owner.bearer)
          .send({ name: value, slug: value }),
      );
      note(
        `verify ${shown}`,
        await app.request().post('/v1/auth/verify-email').send({ email: owner.email, token: value }),
      );
    }
    for (const value of strings) {
      const query = {
        project_id: owner.projectId,
        query: value,
        method: value,
        range: value,
        limit: value,
        hide_noise: value,
      };
      note(
        `logs ${JSON.stringify(value).slice(0, 40)}`,
        await app.request().get('/v1/logs').set('Authorization', owner.bearer).query(query),
      );
    }
    const surprising = answers.filter(([, status]) => status >= 500 || (status < 400 && status !== 200));
    expect(surprising).toEqual([]);
    expect(await rowCounts()).toEqual(before);
  });

  it('searches logs by any text without fault', async () => {
    for (const query of ['\\', '\\\\', '%', '_', '\\%', "'", '"', '💥', 'a'.repeat(200)]) {
      await app
        .request()
        .get('/v1/logs')
        .set('Authorization', owner.bearer)
        .query({ project_id: owner.projectId, query })
        .expect(200);
    }
    await app
      .request()
      .get('/v1/logs')
      .set('Authorization', owner.bearer)
      .query({ project_id: owner.projectId, query: 'a\u0000' })
      .expect(422);
  });

  it('logs nothing at level error when clients break off requests of any route', async () => {
    const { bearer, apiKey, projectId } = await ownerWithProject(app);
    const { paths } = (await app.request().get('/openapi.json').expect(200)).body as {
      paths: Record<string, Record<string, object>>;
    };
    // Each route answers in its own way, so all of them are asked. What would end the session or the project is left out.
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
          // The server is in this process: it has read the request some turns later, and is at work on it.
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

  it('hides the cause of an unexpected fault, and the request id finds it in the log', async () => {
    const broken = await createTestApp();
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
  ] as const)('writes the lines of ACCESS_LOG=%s although LOG_LEVEL is warn', async (setting, statuses) => {
    const quiet = await createTestApp({ env: { LOG_LEVEL: 'warn', ACCESS_LOG: setting } });
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

  it('serves a document to make clients from: address, keys, 429 and headers', async () => {
    interface Told {
      security?: object[];
      parameters?: object[];
      responses: Record<string, { headers?: object }>;
    }
    const { body } = await app.request().get('/openapi.client.json').expect(200);
    const { servers, components, paths } = body as {
      servers: object[];
      components: { securitySchemes: object; responses: Record<string, { headers?: object }> };
      paths: Record<string, Record<string, Told>>;
    };
    expect(servers).toHaveLength(1);
    expect(Object.keys(components.securitySchemes).sort()).toEqual(['apiKey', 'bearer', 'internalToken']);
    for (const { headers } of Object.values(components.responses)) expect(headers).toHaveProperty('X-Request-ID');
    const ingest = paths['/v1/events/ingest']?.['post'];
    expect(ingest?.security).toEqual([{ apiKey: [] }]);
    expect(JSON.stringify(ingest?.parameters)).not.toContain('X-API-Key');
    expect(Object.keys(ingest?.responses['200']?.headers ?? {})).toContain('X-RateLimit-Remaining');
    expect(paths['/v1/auth/me']?.['get']?.security).toEqual([{ bearer: [] }]);
    expect(Object.keys(paths['/v1/auth/me']?.['get']?.responses['200']?.headers ?? {})).not.toContain(
      'X-RateLimit-Remaining',
    );
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.values(item).map((operation) => ({ path, operation })),
    );
    expect(operations.filter(({ operation }) => operation.security === undefined)).toEqual([]);
    const without = operations.filter(({ operation }) => operation.responses['429'] === undefined);
    expect(without.map(({ path }) => path)).toEqual(['/health']);
  });

  it('serves the document and its readers from this origin alone', async () => {
    const document = (await app.request().get('/openapi.json').expect(200)).body as {
      info: object;
      servers?: unknown;
      security?: unknown;
    };
    expect(document.info).toMatchObject({ title: 'Operational Event Service API', version: '1.0.0' });
    expect(document).not.toHaveProperty('servers');
    for (const path of ['/docs', '/redoc']) {
      const page = await app.request().get(path).redirects(1).expect(200);
      expect(page.headers['content-type']).toMatch(/^text\/html/);
      const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source = '']) => source);
      expect(sources.filter((source) => /^(https?:)?\/\//.test(source))).toEqual([]);
      for (const source of sources.filter((name) => /\.(js|css)$/.test(name))) {
        await app
          .request()
          .get(new URL(source, `${app.url}${path}`).pathname)
          .expect(200);
      }
    }
  });
});
