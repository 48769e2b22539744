import { randomUUID } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { answersIn, converse, sendBytes } from '../../support/raw-requests.js';
import { api, service, type Tenant, tenant } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import { accountsWithAnyAddress, rowsOfOwner } from '../../support/sql-builders/ingestion.js';

const ENCODINGS = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const;
const ORIGIN = 'https://app.example.com';
/** The default of MAX_BODY_BYTES. */
const MAX_BODY_BYTES = 1024 * 1024;

describe('the HTTP interface', () => {
  let acme: Tenant;

  beforeAll(async () => {
    acme = await tenant();
  });

  const asOwner = () => api.as(acme.owner);
  const ingest = (body?: object) => api.as(acme.key).post('/v1/events/ingest', body);
  const ingestText = (text: string, type = 'application/json') => ingest().set('Content-Type', type).send(text);
  const rows = () => rowsOfOwner(acme.owner.id);
  /** Sends a request as it is written. */
  const raw = (lines: string[], body: Buffer | string = ''): Promise<string> =>
    sendBytes(service.url, `${[...lines, 'Host: localhost', 'Connection: close'].join('\r\n')}\r\n\r\n`, body);
  const conversation = (...parts: readonly (string | Buffer)[]) => converse(service.url, parts);
  const headOf = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`;
  /** The line of the log about a request. */
  const lineOf = async (requestId: string | undefined): Promise<Record<string, unknown>> => {
    const lines = (await logText()).split('\n').filter((line) => line.includes(`"request_id":"${requestId}"`));
    return JSON.parse(lines[0] ?? '{}') as Record<string, unknown>;
  };

  describe('a route', () => {
    it.each([
      '/',
      '/v1',
      '/v1/nope',
      '/v2/logs',
      '/v1/logs/',
      '/V1/logs',
      '/v1/Organizations',
      '/%E0%A4%A',
      '/v1/projects/%ZZ',
    ])('is not found at %s', async (path) => {
      await asOwner().get(path).expect(404, { detail: 'Not Found' });
    });

    it('returns 405 for a wrong method and names the methods it has', async () => {
      const answer = await api.delete('/v1/organizations').expect(405, { detail: 'Method Not Allowed' });
      expect(answer.headers.allow).toBe('GET, HEAD, POST');
      const login = await api.get('/v1/auth/login').expect(405);
      expect(login.headers.allow).toBe('POST');
      const project = await api.put(`/v1/projects/${acme.projectId}`).expect(405);
      expect(project.headers.allow).toBe('DELETE, GET, HEAD, PATCH');
    });

    it('answers HEAD without a body', async () => {
      const answer = await raw(['HEAD /v1/organizations HTTP/1.1', `Authorization: Bearer ${acme.owner.accessToken}`]);
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toMatch(/\r\nContent-Type: application\/json/i);
      expect(answer.split('\r\n\r\n')).toEqual([expect.any(String), '']);
    });
  });

  describe('a request that breaks the protocol', () => {
    const READY = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n';
    const TOO_LARGE = 'Request Header Fields Too Large';
    const BAD = 'Bad Request';

    it.each<[status: number, what: string, bytes: string, detail: string]>([
      [431, 'a request line of 17 KB', headOf(`GET /${'x'.repeat(17_000)} HTTP/1.1`, 'Host: a'), TOO_LARGE],
      [431, 'a header of 20 KB', headOf('GET / HTTP/1.1', 'Host: a', `X: ${'x'.repeat(20_000)}`), TOO_LARGE],
      [431, '201 headers', headOf('GET / HTTP/1.1', 'Host: a', ...Array<string>(200).fill('X: 1')), TOO_LARGE],
      [431, '3,000 headers', headOf('GET / HTTP/1.1', 'Host: a', ...Array<string>(3_000).fill('X:')), TOO_LARGE],
      [400, 'no protocol', headOf('NONSENSE'), BAD],
      [400, 'an unknown method', headOf('FOO / HTTP/1.1', 'Host: a'), BAD],
      [400, 'HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', BAD],
      [400, 'no Host', headOf('GET /health HTTP/1.1'), BAD],
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
      ].map((host): [number, string, string, string] => [
        400,
        `the Host ${JSON.stringify(host)}`,
        headOf('GET /health HTTP/1.1', `Host: ${host}`),
        BAD,
      ]),
      [400, 'two Hosts', headOf('GET /health HTTP/1.1', 'Host: a', 'Host: b'), BAD],
      [
        417,
        'an expectation',
        headOf('GET /health HTTP/1.1', 'Host: a', 'Expect: miracles', 'Connection: close'),
        'Expectation Failed',
      ],
      [400, 'two lengths', headOf('POST / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Content-Length: 2'), BAD],
      [
        400,
        'a length and chunks',
        headOf('POST / HTTP/1.1', 'Host: a', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
        BAD,
      ],
      [400, 'an unknown coding', headOf('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: rot13'), BAD],
      [
        400,
        'a coding below the chunks',
        `${headOf('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`,
        BAD,
      ],
      [400, 'lines that end in LF alone', 'GET / HTTP/1.1\nHost: a\n\n', BAD],
      [400, 'a header name with a blank', headOf('GET / HTTP/1.1', 'Host: a', 'X Y: 1'), BAD],
      [405, 'CONNECT', headOf('CONNECT example.com:443 HTTP/1.1', 'Host: example.com'), 'Method Not Allowed'],
      [
        400,
        'a chunked body without chunks',
        `${headOf('POST /v1/auth/register HTTP/1.1', 'Host: a', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}zz\r\n`,
        BAD,
      ],
    ])('is answered with %i in the documented form: %s', async (status, _, bytes, detail) => {
      const whole = { hasId: true, isProtected: true };
      expect(answersIn(await conversation(bytes))).toEqual([{ status, detail, ...whole }]);
      // The same holds after an answer, and after requests that are not answered yet.
      const before = { status: 200, detail: undefined, ...whole };
      expect(answersIn(await conversation(READY, bytes))).toEqual([before, { status, detail, ...whole }]);
      expect(answersIn(await conversation(`${READY}${READY}${bytes}`))).toEqual([
        before,
        before,
        { status, detail, ...whole },
      ]);
    });

    it('leaves a line in the log that has the request id of its answer', async () => {
      const text = await conversation(headOf('NONSENSE'));
      const id = /x-request-id: (\S+)/i.exec(text)?.[1];
      expect(await lineOf(id)).toMatchObject({
        message: 'request',
        status: 400,
        code: expect.stringMatching(/^HPE_/),
      });
    });

    it('keeps the X-Request-ID that was sent, when it is a good one', async () => {
      const idOf = async (bytes: string): Promise<string | undefined> =>
        /x-request-id: (\S+)/i.exec(await conversation(bytes))?.[1];
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
      // A line in the body of another request is no header.
      expect(await idOf(`${headOf(target, 'Host: a')}X-Request-ID: of-the-body\r\n`)).toMatch(made);

      function idFor(lines: string[]): Promise<string | undefined> {
        return idOf(headOf(...lines));
      }
    });
  });

  describe('an odd request that keeps to the protocol', () => {
    it.each<[status: number, what: string, bytes: string]>([
      [200, 'an absolute target', headOf('GET http://other.example/health HTTP/1.1', 'Host: a', 'Connection: close')],
      [200, 'HTTP/1.0 without a Host', headOf('GET /health HTTP/1.0')],
      [200, 'an IPv6 Host', headOf('GET /health HTTP/1.1', 'Host: [::1]:3000', 'Connection: close')],
      [200, 'a Host with a port', headOf('GET /health HTTP/1.1', 'Host: my_host.Example.com.:80', 'Connection: close')],
      [204, 'OPTIONS *', headOf('OPTIONS * HTTP/1.1', 'Host: a', 'Connection: close')],
      [405, 'PROPFIND', headOf('PROPFIND /v1/organizations HTTP/1.1', 'Host: a', 'Connection: close')],
      [405, 'TRACE', headOf('TRACE /v1/organizations HTTP/1.1', 'Host: a', 'Connection: close')],
      [404, 'the target //', headOf('GET // HTTP/1.1', 'Host: a', 'Connection: close')],
      [401, 'the target %00', headOf('GET /v1/projects/%00 HTTP/1.1', 'Host: a', 'Connection: close')],
      [
        200,
        'an upgrade',
        headOf('GET /health HTTP/1.1', 'Host: a', 'Connection: Upgrade, close', 'Upgrade: websocket'),
      ],
      [
        200,
        '150 headers',
        headOf('GET /health HTTP/1.1', 'Host: a', 'Connection: close', ...Array<string>(150).fill('X: 1')),
      ],
    ])('is answered with %i like any other: %s', async (status, _, bytes) => {
      const [answer, ...more] = answersIn(await conversation(bytes));
      expect([answer?.status, answer?.hasId, answer?.isProtected]).toEqual([status, true, true]);
      expect(more).toEqual([]);
      if (status >= 400) expect(answer?.detail).toEqual(expect.any(String));
    });
  });

  describe('a parameter', () => {
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

    it('is never dropped, however many a request has', async () => {
      const logs = (text: string) => asOwner().get(`/v1/logs?${text}`);
      const filler = '&'.repeat(998);
      await logs(`${filler}project_id=${acme.projectId}`).expect(200);
      await logs(`${filler}&a&project_id=${acme.projectId}`).expect(422, TOO_MANY('query'));
      await logs(`project_id=${acme.projectId}&${'level=info&'.repeat(1_000)}`).expect(422, TOO_MANY('query'));
    });

    it('is refused with 422 when a form has more than 1,000 of them', async () => {
      const login = (text: string) => api.post('/v1/auth/login').type('form').send(text);
      await login('a&'.repeat(5_000)).expect(422, TOO_MANY('body'));
      await login(`${'&'.repeat(998)}username=a%40example.com&password=x`).expect(401);
    });
  });

  describe('a request id', () => {
    it('is the one that was sent when it has 1 to 128 visible characters, and a new one otherwise', async () => {
      const idFor = async (given?: string) => {
        const request = api.get('/health');
        if (given !== undefined) void request.set('X-Request-ID', given);
        return (await request).headers['x-request-id'] as string;
      };
      expect(await idFor('my-request/42')).toBe('my-request/42');
      expect(await idFor('x'.repeat(128))).toBe('x'.repeat(128));
      for (const bad of [undefined, 'x'.repeat(129), 'has space', ''])
        expect(await idFor(bad)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    });

    it('finds the log line of a request', async () => {
      const id = `find-me-${randomUUID()}`;
      await api.get('/v1/nope').set('X-Request-ID', id).expect(404);
      expect(await lineOf(id)).toMatchObject({
        message: 'request',
        method: 'GET',
        status: 404,
        duration_ms: expect.any(Number),
      });
    });
  });

  describe('an answer', () => {
    it('has the security headers nosniff, no-referrer, Content-Security-Policy and Strict-Transport-Security', async () => {
      const { headers } = await api.get('/health').expect(200);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'strict-transport-security': expect.stringContaining('max-age='),
      });
    });

    it('is never cached: it has Cache-Control: no-store and no ETag', async () => {
      const { headers } = await api.get('/health').expect(200);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers).not.toHaveProperty('etag');
    });

    it('does not name the framework in X-Powered-By', async () => {
      const { headers } = await api.get('/health').expect(200);
      expect(headers).not.toHaveProperty('x-powered-by');
    });

    it('allows only configured origins, and exposes the headers that clients read', async () => {
      const preflight = await raw([
        'OPTIONS /v1/auth/login HTTP/1.1',
        `Origin: ${ORIGIN}`,
        'Access-Control-Request-Method: POST',
      ]);
      expect(preflight).toMatch(/^HTTP\/1\.1 204 /);
      expect(/\r\naccess-control-allow-origin: (.*)\r\n/i.exec(preflight)?.[1]).toBe(ORIGIN);
      const answer = await api.get('/health').set('Origin', ORIGIN);
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
      const foreign = await api.get('/health').set('Origin', 'https://evil.example');
      expect(foreign.headers).not.toHaveProperty('access-control-allow-origin');
    });
  });

  describe('a request body', () => {
    const valid = { event_type: 'a', source: 'b' };

    it('is refused with 413 when it is too large, also when it is chunked or compressed', async () => {
      const before = await rows();
      const large = JSON.stringify({ ...valid, payload: { text: 'x'.repeat(MAX_BODY_BYTES) } });
      await ingestText(large).expect(413, { detail: 'Request body too large' });
      const chunked = `${Buffer.byteLength(large).toString(16)}\r\n${large}\r\n0\r\n\r\n`;
      const head = [
        'POST /v1/events/ingest HTTP/1.1',
        `X-API-Key: ${acme.key.apiKey}`,
        'Content-Type: application/json',
      ];
      expect(await raw([...head, 'Transfer-Encoding: chunked'], chunked)).toMatch(/^HTTP\/1\.1 413 /);
      for (const [encoding, compress] of ENCODINGS) {
        const bomb = compress(Buffer.alloc(10_000_000, 0x20));
        const lines = [...head, `Content-Encoding: ${encoding}`, `Content-Length: ${bomb.length}`];
        expect(await raw(lines, bomb)).toMatch(/^HTTP\/1\.1 413 /);
      }
      expect(await rows()).toEqual(before);
    });

    it('may be compressed with gzip, deflate and br', async () => {
      const bearing = [`X-API-Key: ${acme.key.apiKey}`, 'Content-Type: application/json'];
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
    ])('is refused with 415 on a JSON route when its type is %s', async (type) => {
      await ingestText(JSON.stringify(valid), type)
        .expect(415, { detail: 'Unsupported Media Type' })
        .expect('Accept-Post', 'application/json, application/x-ndjson');
      await asOwner()
        .patch(`/v1/projects/${acme.projectId}`)
        .set('Content-Type', type)
        .send(JSON.stringify({ name: 'Other' }))
        .expect(415)
        .expect('Accept-Patch', 'application/json');
    });

    it('may name UTF-8 as its charset', async () => {
      await ingestText(JSON.stringify(valid), 'application/json; charset=UTF-8').expect(200);
    });

    it.each([
      ['truncated', '{"event_type":"a","sou'],
      ['empty quotes', '""{'],
      ['a trailing comma', '{"event_type":"a",}'],
      ['single quotes', "{'event_type':'a'}"],
      ['NaN', '{"event_type":"a","source":"b","payload":{"x":NaN}}'],
      ['a bare word', 'hello'],
      ['a control character in a string', '{"event_type":"a\nb","source":"b"}'],
    ])('is refused with the position of the fault when it is not JSON: %s', async (_, text) => {
      const answer = await ingestText(text).expect(422);
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

    it('is refused with 422 when it has invalid UTF-8, too much depth or a number that is too large', async () => {
      const before = await rows();
      const head = [
        'POST /v1/events/ingest HTTP/1.1',
        `X-API-Key: ${acme.key.apiKey}`,
        'Content-Type: application/json',
      ];
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
        const answer = await ingestText(`{"event_type":"a","source":"b","payload":{"deep":${payload}}}`).expect(422);
        expect((answer.body as { detail: object[] }).detail).toMatchObject([{ type: 'value_error' }]);
      }
      const unparsed = await ingestText(
        `{"event_type":"a","source":"b","unknown":${'['.repeat(40_000)}${']'.repeat(40_000)}}`,
      ).expect(422);
      expect((unparsed.body as { detail: object[] }).detail).toMatchObject([
        { type: 'json_invalid', loc: ['body', 1_040], ctx: { error: 'Nested deeper than 1000 levels' } },
      ]);
      expect(await rows()).toEqual(before);
    });

    it('has the last value of a repeated member', async () => {
      const answer = await ingestText('{"event_type":"first","event_type":"last","source":"b"}').expect(200);
      expect((answer.body as { event_type: string }).event_type).toBe('last');
    });

    it('may be left out when no field is required', async () => {
      const { body } = await asOwner().post('/v1/api-keys', { project_id: acme.projectId, name: 'k' }).expect(201);
      await asOwner()
        .post(`/v1/api-keys/${(body as { id: string }).id}/revoke`)
        .expect(200);
    });

    it('is refused with one fault when a field is required and it is missing or null', async () => {
      const missing = { detail: [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }] };
      await ingest().expect(422, missing);
      await ingestText('null').expect(422, missing);
    });
  });

  it('never returns 500 for hostile inputs, and stores nothing of them', async () => {
    const before = await rows();
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
      note(`register ${shown}`, await api.post('/v1/auth/register', { email: value, password: value, name: value }));
      note(
        `login ${shown}`,
        await api
          .post('/v1/auth/login')
          .type('form')
          .send({ username: JSON.stringify(value), password: JSON.stringify(value) }),
      );
      note(`refresh ${shown}`, await api.post('/v1/auth/refresh', { refresh_token: value }));
      note(`ingest ${shown}`, await ingest({ event_type: value, source: value, timestamp: value, payload: value }));
      note(
        `project ${shown}`,
        await asOwner().post('/v1/projects', { organization_id: value, name: value, slug: value }),
      );
      note(`organization ${shown}`, await asOwner().post('/v1/organizations', { name: value, slug: value }));
      note(`verify ${shown}`, await api.post('/v1/auth/verify-email', { email: acme.owner.email, token: value }));
    }
    for (const value of strings) {
      const query = {
        project_id: acme.projectId,
        query: value,
        method: value,
        range: value,
        limit: value,
        hide_noise: value,
      };
      note(`logs ${JSON.stringify(value).slice(0, 40)}`, await asOwner().get('/v1/logs', query));
    }
    const surprising = answers.filter(([, status]) => status >= 500 || (status < 400 && status !== 200));
    expect(surprising).toEqual([]);
    expect(await rows()).toEqual(before);
    // No text in PostgreSQL has a NUL character.
    expect(await accountsWithAnyAddress(strings.filter((value) => !value.includes('\u0000')))).toEqual([]);
  });

  it('searches logs by any text without a fault, and refuses a NUL character', async () => {
    const search = (query: string) => asOwner().get('/v1/logs', { project_id: acme.projectId, query });
    for (const query of ['\\', '\\\\', '%', '_', '\\%', "'", '"', '💥', 'a'.repeat(200)])
      await search(query).expect(200);
    await search('a\u0000').expect(422);
  });

  it('serves a document for client generators, with address, keys, 429 and headers', async () => {
    interface DescribedOperation {
      security?: object[];
      parameters?: object[];
      responses: Record<string, { headers?: object }>;
    }
    const { body } = await api.get('/openapi.client.json').expect(200);
    const { servers, components, paths } = body as {
      servers: object[];
      components: { securitySchemes: object; responses: Record<string, { headers?: object }> };
      paths: Record<string, Record<string, DescribedOperation>>;
    };
    expect(servers).toHaveLength(1);
    expect(Object.keys(components.securitySchemes).sort()).toEqual([
      'apiKey',
      'bearer',
      'internalToken',
      'keyAsBearer',
      'keyAsUserName',
      'scimToken',
    ]);
    for (const { headers } of Object.values(components.responses)) expect(headers).toHaveProperty('X-Request-ID');
    const described = paths['/v1/events/ingest']?.['post'];
    expect(described?.security).toEqual([{ apiKey: [] }]);
    expect(JSON.stringify(described?.parameters)).not.toContain('X-API-Key');
    expect(Object.keys(described?.responses['200']?.headers ?? {})).toContain('X-RateLimit-Remaining');
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

  it('serves the document for client generators in the version of OpenAPI that is named', async () => {
    const path = '/openapi.client.json';
    for (const [query, openapi] of [
      [{}, '3.1.0'],
      [{ version: '3.1' }, '3.1.0'],
      [{ version: '3.0' }, '3.0.3'],
    ] as const) {
      const { body, headers } = await api.get(path, query).expect(200);
      expect((body as { openapi: string }).openapi).toBe(openapi);
      expect(headers['etag']).toMatch(/^W/);
    }
    const { body } = await api.get(path, { version: '2.0' }).expect(422);
    expect(body).toMatchObject({ detail: [{ type: 'literal_error', loc: ['query', 'version'], input: '2.0' }] });
  });

  it('serves the document and its readers from its own origin alone', async () => {
    const document = (await api.get('/openapi.json').expect(200)).body as {
      info: object;
      servers?: unknown;
      security?: unknown;
    };
    expect(document.info).toMatchObject({ title: 'Operational Event Service API', version: '1.0.0' });
    expect(document).not.toHaveProperty('servers');
    for (const path of ['/docs', '/redoc']) {
      const page = await api.get(path).redirects(1).expect(200);
      expect(page.headers['content-type']).toMatch(/^text\/html/);
      const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source = '']) => source);
      expect(sources.filter((source) => /^(https?:)?\/\//.test(source))).toEqual([]);
      for (const source of sources.filter((name) => /\.(js|css)$/.test(name))) {
        await api.get(new URL(source, `${service.url}${path}`).pathname).expect(200);
      }
    }
  });
});
