import { createHash, randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { activityOf } from '../../support/activity.js';
import { eventually } from '../../support/eventually.js';
import { asIs, ProjectObjects } from '../../support/objects-api.js';
import { HeldRequest, type ObjectRecord, sha256 } from '../../support/objects.js';
import { logText } from '../../support/service-log.js';
import { api, service, type Tenant, tenant } from '../../support/service.js';
import { quadrupleStoredBytes, setBillingStatus, writingBlobs } from '../../support/sql-builders/storage.js';
import { setPlan } from '../../support/sql-builders/tenancy.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';
const KEY_RULE = 'Value error, key must be a path of names without leading slash, empty, . or .. parts';
/** The limits of the plan `pro` in the shared service. */
const [QUOTA, LARGEST_FILE] = [1024 * 1024, 512 * 1024];
/** The limit of one request in the shared service. */
const LARGEST_BODY = 600_000;

let acme: Tenant;
let objects: ProjectObjects;

/** Tests that depend on the stored objects have a tenant of their own. Cases of a table share one. */
async function newTenant(): Promise<void> {
  acme = await tenant();
  await setPlan(acme.organizationId, 'pro');
  objects = new ProjectObjects(acme.projectId, acme.owner);
}

const path = (key: string) => `/v1/core/objects?project_id=${acme.projectId}&key=${key}`;
const bearer = () => ({ Authorization: `Bearer ${acme.owner.accessToken}` });
const content = async (id: string) => (await objects.content(id)).text;
const acts = async () =>
  (await activityOf(acme))
    .filter(({ target_type }) => target_type === 'object')
    .map(({ action, detail }) => ({ action, detail }));
const untilWriting = (count: number) =>
  eventually(
    () => writingBlobs(acme.projectId),
    (found) => found === count,
  );

/** Sends a body in chunks, without its length. @returns the status */
function chunked(key: string, bytes: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(service.url + path(key), { method: 'POST', headers: bearer() });
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    for (let at = 0; at < bytes.length; at += 50_000) sent.write(bytes.subarray(at, at + 50_000));
    sent.end();
  });
}

describe('an object that is sent in one request', () => {
  beforeEach(newTenant);

  it('has the content that was sent, and is described in the answer and in the audit log', async () => {
    const { body } = await objects.put('reports/ä b.txt', 'hello').expect(201);
    expect(body).toEqual({
      id: expect.any(String),
      project_id: acme.projectId,
      key: 'reports/ä b.txt',
      size: 5,
      content_type: 'text/plain',
      etag: sha256('hello'),
      sha256: sha256('hello'),
      metadata: {},
      version: 1,
      created_by: acme.owner.id,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const record = body as ObjectRecord;
    expect(await content(record.id)).toBe('hello');
    expect(await acts()).toEqual([
      { action: 'object.created', detail: { key: 'reports/ä b.txt', size: 5, version: 1 } },
    ]);
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: 5, bytes_reserved: 0, objects: 1 });
  });

  it('has a size of 0 when its body is empty', async () => {
    const record = await objects.stored('empty', '');
    expect(record).toMatchObject({ size: 0, sha256: sha256('') });
    const { headers } = await objects.content(record.id);
    expect(headers['content-length']).toBe('0');
  });

  it.each([1_000, 500_000])('is stored when its %d bytes come in chunks without a length', async (size) => {
    expect(await chunked('pieces', Buffer.alloc(size, 'x'))).toBe(201);
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: size, bytes_reserved: 0 });
  });

  it('has the media type of the query, else that of the header, and is refused with one that is malformed', async () => {
    const send = (query: Record<string, string>, type: string) =>
      objects.create(query).set('Content-Type', type).serialize(asIs).send(Buffer.from('x'));
    expect((await send({ key: 'a' }, 'application/x-unknown').expect(201)).body).toMatchObject({
      content_type: 'application/x-unknown',
    });
    expect((await send({ key: 'b', content_type: 'image/png' }, 'text/html').expect(201)).body).toMatchObject({
      content_type: 'image/png',
    });
    const { body } = await send({ key: 'c', content_type: 'no type' }, 'text/html').expect(422);
    expect((body as { detail: object[] }).detail).toEqual([
      expect.objectContaining({
        loc: ['query', 'content_type'],
        msg: 'Value error, content_type must be a media type',
      }),
    ]);
  });

  it('is another object when its key differs in any byte', async () => {
    for (const key of ['a', 'A', 'é', 'e\u0301']) await objects.stored(key);
    expect(await objects.usage()).toMatchObject({ storage: { objects: 4 } });
  });

  it('is refused without a key', async () => {
    const { body } = await objects.create().set('Content-Type', 'text/plain').send('x').expect(422);
    expect(body).toMatchObject({ detail: [{ type: 'missing', loc: ['query', 'key'] }] });
  });

  it('keeps its content unless a request overwrites it', async () => {
    const first = await objects.stored('one', 'first', { overwrite: 'true' });
    const refused = await objects.put('one', 'second').expect(409);
    expect(refused.body).toEqual({ detail: 'Object already exists' });
    const second = await objects.stored('one', 'second!', { overwrite: 'true', content_type: 'text/csv' });
    expect(second).toMatchObject({
      id: first.id,
      version: 2,
      size: 7,
      content_type: 'text/csv',
      created_at: first.created_at,
    });
    expect(await content(first.id)).toBe('second!');
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: 7, objects: 1, bytes_reserved: 0 });
    expect((await acts()).at(-1)).toEqual({ action: 'object.replaced', detail: { key: 'one', size: 7, version: 2 } });
  });

  it('is stored only when If-Match and If-None-Match hold', async () => {
    const { etag } = await objects.stored('one', 'first');
    expect((await objects.put('one', 'x').set('If-None-Match', '*').expect(412)).body).toEqual({
      detail: 'Precondition Failed',
    });
    await objects.put('one', 'x').set('If-Match', '"other"').expect(412);
    await objects.put('one', 'x').set('If-Match', `W/"${etag}"`).expect(412);
    await objects.put('two', 'x').set('If-Match', '*').expect(412);
    await objects.put('one', 'second').set('If-Match', `"nothing", "${etag}"`).expect(201);
    await objects.put('one', 'third').set('If-Match', '*').expect(201);
    await objects.put('two', 'x').set('If-None-Match', '*').expect(201);
  });

  it('is refused when its content differs from its digests', async () => {
    const md5 = createHash('md5').update('hello').digest('base64');
    const digest = `sha-512=:AAAA:, sha-256=:${createHash('sha256').update('hello').digest('base64')}:`;
    await objects.put('a', 'hello').set('Content-MD5', md5).set('Content-Digest', digest).expect(201);
    for (const [name, value, sentence] of [
      ['Content-MD5', createHash('md5').update('other').digest('base64'), 'the content has another digest'],
      ['Content-MD5', 'no', 'not a digest'],
      [
        'Content-Digest',
        `sha-256=:${createHash('sha256').update('x').digest('base64')}:`,
        'the content has another digest',
      ],
      ['Content-Digest', 'sha-256=abc', 'not a digest'],
    ] as const) {
      const { body } = await objects.put('b', 'hello').set(name, value).expect(422);
      expect(body).toMatchObject({
        detail: [{ type: 'value_error', loc: ['header', name.toLowerCase()], msg: `Value error, ${sentence}` }],
      });
    }
    expect(await objects.usage()).toMatchObject({ storage: { objects: 1, bytes_used: 5, bytes_reserved: 0 } });
  });

  it('is refused when it is compressed, too large for one request or too large for the plan', async () => {
    expect((await objects.put('a', 'x').set('Content-Encoding', 'gzip').expect(415)).body).toEqual({
      detail: 'Unsupported Media Type',
    });
    expect((await objects.put('a', Buffer.alloc(LARGEST_BODY + 1)).expect(413)).body).toEqual({
      detail: 'Request body too large',
    });
    expect((await objects.put('a', Buffer.alloc(LARGEST_FILE + 1)).expect(413)).body).toEqual({
      detail: 'File exceeds the maximum size of the plan',
    });
    await objects.put('a', Buffer.alloc(LARGEST_FILE)).expect(201);
    for (const bytes of [LARGEST_FILE + 1, LARGEST_BODY + 1]) expect(await chunked('b', Buffer.alloc(bytes))).toBe(413);
    expect(await objects.usage()).toMatchObject({
      storage: { objects: 1, bytes_used: LARGEST_FILE, bytes_reserved: 0 },
    });
  });

  it('leaves nothing behind when its connection breaks off', async () => {
    const headers = { ...bearer(), 'Content-Length': '400000' };
    const sent = new HeldRequest(service.url + path('broken'), { headers });
    await sent.write(Buffer.alloc(200_000));
    await untilWriting(1);
    sent.destroy();
    await untilWriting(0);
    expect((await objects.list()).body).toMatchObject({ items: [] });
    expect(await objects.usage()).toMatchObject({ storage: { bytes_used: 0, bytes_reserved: 0, objects: 0 } });
  });

  it.each(['with a length', 'in chunks'])(
    'gives back its reservation when the client ends a body %s early without closing the connection',
    async (form) => {
      const { hostname, port } = new URL(service.url);
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      const isChunked = form === 'in chunks';
      const requestId = randomUUID();
      socket.write(
        [
          `POST ${path('ended')} HTTP/1.1`,
          'Host: x',
          `Authorization: ${bearer().Authorization}`,
          `X-Request-ID: ${requestId}`,
          isChunked ? 'Transfer-Encoding: chunked' : 'Content-Length: 400000',
          '\r\n',
        ].join('\r\n'),
      );
      socket.write(isChunked ? `61a80\r\n${'x'.repeat(200_000)}` : 'x'.repeat(200_000));
      await untilWriting(1);
      const answer = text(socket);
      socket.end();
      expect(await answer).toMatch(/^HTTP\/1.1 400 /);
      await untilWriting(0);
      expect((await objects.usage()).storage).toMatchObject({ bytes_used: 0, bytes_reserved: 0 });
      const lines = (await logText()).split('\n');
      expect(lines.filter((line) => line.includes(requestId))).not.toEqual([]);
      const own = lines.filter((line) => line.includes(requestId) || line.includes(acme.projectId));
      expect(own.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
    },
  );

  it('is refused under a key that is not UTF-8, in a query and in a form', async () => {
    const send = (query: string) => api.as(acme.owner).post(`/v1/core/objects?project_id=${acme.projectId}${query}`);
    for (const key of ['caf%E9.txt', '%ff', 'a%C3', '%ED%A0%80', '%C0%AF']) {
      const { body } = await send(`&key=${key}`).set('Content-Type', 'text/plain').send('x').expect(422);
      expect(body).toMatchObject({ detail: [{ type: 'value_error', loc: ['query', 'key'] }] });
    }
    for (const [name, head] of [
      ['file', 'Content-Disposition: form-data; name="file"; filename="caf\xe9.txt"\r\n\r\nx'],
      [
        'key',
        'Content-Disposition: form-data; name="key"\r\n\r\ncaf\xe9.txt\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nx',
      ],
    ] as const) {
      const { body } = await send('')
        .set('Content-Type', 'multipart/form-data; boundary=b')
        .serialize(asIs)
        .send(Buffer.from(`--b\r\n${head}\r\n--b--\r\n`, 'latin1'))
        .expect(422);
      expect([name, body]).toMatchObject([
        name,
        { detail: [{ type: 'value_error', loc: ['body', 'key'], msg: KEY_RULE }] },
      ]);
    }
    await send('&key=caf%C3%A9-%EF%BF%BD+100%25%zz.txt').set('Content-Type', 'text/plain').send('x').expect(201);
    expect((await objects.list()).body).toMatchObject({ items: [{ key: 'café-\ufffd 100%%zz.txt' }] });
  });

  it('is stored up to the last byte of the quota and not beyond, by many requests at once', async () => {
    const size = 64 * 1024;
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, at) => objects.put(`parallel/${at}`, Buffer.alloc(size))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(16);
    const [refused] = answers.filter(({ status }) => status !== 201);
    expect(refused).toMatchObject({
      status: 403,
      body: { detail: 'Storage quota exceeded' },
      headers: {
        'x-service-block-reason': 'storage_quota_exceeded',
        'x-service-storage-limit': String(QUOTA),
        'x-service-upgrade-url': expect.any(String),
        'x-service-storage-used': expect.stringMatching(/^\d+$/),
      },
    });
    expect((await objects.usage()).storage).toEqual({
      bytes_used: QUOTA,
      bytes_reserved: 0,
      bytes_limit: QUOTA,
      bytes_remaining: 0,
      objects: 16,
      is_near_limit: false,
    });
    // An overwrite counts the difference. Any 16 of the 24 may have been stored.
    const stored = answers.findIndex(({ status }) => status === 201);
    await objects.put(`parallel/${stored}`, 'x', { overwrite: 'true' }).expect(201);
  });

  it('reserves the bytes that it adds when it replaces other content', async () => {
    const full = Buffer.alloc(LARGEST_FILE);
    await objects.stored('one', full);
    await objects.stored('two', full);
    const address = `${service.url}${path('one')}&overwrite=true`;
    const headers = { ...bearer(), 'Content-Length': String(full.length) };
    const slow = new HeldRequest(address, { headers });
    await slow.write(full.subarray(0, 1000));
    await untilWriting(1);
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: QUOTA, bytes_reserved: 0 });
    await objects.stored('two', full, { overwrite: 'true' });
    await objects.put('three', 'x').expect(403);
    expect((await slow.end(full.subarray(1000))).status).toBe(201);

    // The content to replace becomes smaller meanwhile, and another object takes the space.
    const late = new HeldRequest(address, { headers });
    await late.write(full.subarray(0, 1000));
    await untilWriting(1);
    await objects.stored('one', 'x', { overwrite: 'true' });
    await objects.stored('three', Buffer.alloc(1000));
    expect((await late.end(full.subarray(1000))).status).toBe(403);
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: LARGEST_FILE + 1001, bytes_reserved: 0 });

    // After a downgrade a smaller content may replace a larger one.
    await quadrupleStoredBytes(acme.organizationId);
    await objects.stored('two', full.subarray(1), { overwrite: 'true' });
    await objects.put('two', full, { overwrite: 'true' }).expect(403);
  });

  it('is created once and then overwritten once by each of many requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => objects.put('same', `content ${at}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
    const written = await Promise.all(
      Array.from({ length: 8 }, (_, at) => objects.put('same', `overwritten ${at}`, { overwrite: 'true' })),
    );
    expect(written.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(written.map(({ body }) => (body as ObjectRecord).version).sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await objects.usage()).toMatchObject({ storage: { bytes_used: 13, bytes_reserved: 0, objects: 1 } });
  });
});

describe('an object under a malformed key', () => {
  beforeAll(newTenant);

  it.each([
    ['/lead'],
    ['a//b'],
    ['a/'],
    ['.'],
    ['..'],
    ['a/../b'],
    ['a/./b'],
    ['a\\b'],
    ['a\u0001b'],
    ['a\u007f'],
    ['ä'.repeat(513)],
  ])('is refused: %j', async (key) => {
    const { body } = await objects.put(key, 'x').expect(422);
    expect(body).toMatchObject({ detail: [{ type: 'value_error', loc: ['query', 'key'], msg: KEY_RULE }] });
    expect((await objects.list().expect(200)).body).toMatchObject({ items: [] });
  });
});

describe('an object under an unusual key', () => {
  beforeAll(newTenant);

  it.each([['ä'.repeat(512)], ['a/b/c'], ['...'], ['.hidden'], ['a b'], ['%2e%2e'], ['é'], ['e\u0301']])(
    'is stored: %j',
    async (key) => {
      expect(await objects.stored(key)).toMatchObject({ key });
    },
  );
});

describe('an object that is sent as a form', () => {
  beforeEach(newTenant);

  it('has the key, type and metadata of the fields before the file', async () => {
    const { body } = await objects
      .create({ key: 'from query' })
      .field('key', 'from/form.csv')
      .field('content_type', 'text/csv')
      .field('metadata', '{"origin":"form"}')
      .attach('file', Buffer.from('a,b'), { filename: 'ignored.txt', contentType: 'text/plain' })
      .field('content_type', 'behind/the-file')
      .expect(201);
    expect(body).toMatchObject({
      key: 'from/form.csv',
      content_type: 'text/csv',
      metadata: { origin: 'form' },
      size: 3,
      sha256: sha256('a,b'),
    });
  });

  it('has the name of its file as key when nothing else names one', async () => {
    const { body } = await objects
      .create()
      .attach('file', Buffer.from('x'), { filename: 'C:\\folder\\photo.png', contentType: 'image/png' })
      .expect(201);
    expect(body).toMatchObject({ key: 'photo.png', content_type: 'image/png' });
  });

  it.each([
    ['text/plain', 'text/plain'],
    ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    ['application/octet-stream', undefined],
  ])('has the type %s when the type of its part is %s', async (content_type, sent) => {
    const head = `Content-Disposition: form-data; name="file"; filename="f"${sent === undefined ? '' : `\r\nContent-Type: ${sent}`}`;
    const { body } = await objects
      .create({ key: 'typed' })
      .set('Content-Type', 'multipart/form-data; boundary=b')
      .serialize(asIs)
      .send(
        `--b\r\nContent-Disposition: form-data; name="other"\r\nContent-Type: image/png\r\n\r\nx\r\n--b\r\n${head}\r\n\r\nabc\r\n--b--\r\n`,
      )
      .expect(201);
    expect(body).toMatchObject({ content_type, size: 3 });
  });

  it('has the content of a field that is called file', async () => {
    const { body } = await objects.create({ key: 'field' }).field('file', 'content').expect(201);
    expect(body).toMatchObject({ size: 7, content_type: 'application/octet-stream' });
  });

  it('is refused as too large in a form of thousands of parts, wherever the file stands among them', async () => {
    const part = (name: string): string =>
      `--x\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\n\r\ncontent\r\n`;
    const many = part('other').repeat(1_100);
    for (const body of [many + part('file'), part('file') + many])
      await objects
        .create({ key: 'a' })
        .set('Content-Type', 'multipart/form-data; boundary=x')
        .send(`${body}--x--\r\n`)
        .expect(413);
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: 0, bytes_reserved: 0 });
  });

  it('is refused as too large with too many fields, a field that is too long or a file beyond the plan', async () => {
    const form = () => objects.create({ key: 'a' });
    const many = form();
    for (let at = 0; at < 21; at += 1) void many.field(`f${at}`, 'x');
    await many.attach('file', Buffer.from('x'), 'x').expect(413);
    await form().field('note', 'x'.repeat(8193)).attach('file', Buffer.from('x'), 'x').expect(413);
    await form()
      .attach('file', Buffer.alloc(LARGEST_FILE + 1), 'x')
      .expect(413);
    await form().attach('file', Buffer.alloc(LARGEST_FILE), 'x').expect(201);
  });
});

describe('a form of an object', () => {
  beforeAll(newTenant);

  it.each<[string, string, string | undefined, number, object]>([
    [
      'without a file',
      '--b\r\nContent-Disposition: form-data; name="key"\r\n\r\nk\r\n--b--\r\n',
      undefined,
      422,
      { type: 'missing', loc: ['body', 'file'] },
    ],
    [
      'that is cut off',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nabc',
      undefined,
      422,
      { type: 'value_error', loc: ['body'], msg: 'Value error, malformed multipart body' },
    ],
    ['without a boundary', 'x', 'multipart/form-data', 422, { type: 'value_error', loc: ['body'] }],
    ['of the type multipart/mixed', 'x', 'multipart/mixed; boundary=b', 422, { type: 'value_error', loc: ['body'] }],
    [
      'whose metadata is an array',
      '--b\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n[1]\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nabc\r\n--b--\r\n',
      undefined,
      422,
      { type: 'value_error', loc: ['body', 'metadata'] },
    ],
    [
      'whose key is ../x',
      '--b\r\nContent-Disposition: form-data; name="key"\r\n\r\n../x\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nabc\r\n--b--\r\n',
      undefined,
      422,
      { type: 'value_error', loc: ['body', 'key'], msg: KEY_RULE },
    ],
  ])('is refused %s', async (_form, body, type, status, row) => {
    const answer = await objects
      .create()
      .set('Content-Type', type ?? 'multipart/form-data; boundary=b')
      .serialize(asIs)
      .send(body)
      .expect(status);
    expect(answer.body).toMatchObject({ detail: [row] });
    expect(await objects.usage()).toMatchObject({ storage: { objects: 0, bytes_reserved: 0 } });
  });
});

describe('a list of objects', () => {
  const pages = async (query: Record<string, string | number>): Promise<[string[], string[]]> => {
    const [items, prefixes]: [string[], string[]] = [[], []];
    for (let after: string | null | undefined; after !== null;) {
      const { body } = await objects.list({ ...query, ...(after !== undefined && { after }) }).expect(200);
      const page = body as { items: ObjectRecord[]; prefixes: string[]; next_after: string | null };
      expect(page.items.length + page.prefixes.length).toBeLessThanOrEqual(Number(query.limit ?? 100));
      items.push(...page.items.map(({ key }) => key));
      prefixes.push(...page.prefixes);
      after = page.next_after;
    }
    return [items, prefixes];
  };
  const KEYS = ['Z', 'a', 'a/1', 'a/2', 'a/b/3', 'a0', 'ab', 'b/c/d/e', 'b/c/f', 'c', 'z', 'é', '😀/x'];

  beforeAll(async () => {
    await newTenant();
    for (const key of [...KEYS].reverse()) await objects.stored(key);
  });

  it.each([1, 2, 3, 100])('is in the order of bytes in pages of %d', async (limit) => {
    expect(await pages({ limit })).toEqual([KEYS, []]);
    expect(await pages({ limit, prefix: 'a/' })).toEqual([['a/1', 'a/2', 'a/b/3'], []]);
    expect(await pages({ limit, prefix: '😀' })).toEqual([['😀/x'], []]);
  });

  it.each([1, 2, 3, 100])('groups keys by common prefixes in pages of %d', async (limit) => {
    const delimiter = '/';
    expect(await pages({ limit, delimiter })).toEqual([
      ['Z', 'a', 'a0', 'ab', 'c', 'z', 'é'],
      ['a/', 'b/', '😀/'],
    ]);
    expect(await pages({ limit, delimiter, prefix: 'a/' })).toEqual([['a/1', 'a/2'], ['a/b/']]);
    expect(await pages({ limit, delimiter, prefix: 'b/c/' })).toEqual([['b/c/f'], ['b/c/d/']]);
    expect(await pages({ limit, delimiter, prefix: 'nothing' })).toEqual([[], []]);
  });

  it.each([['!'], ['Zm9'], [Buffer.from('../x').toString('base64url')], ['']])(
    'is refused after %j, which no earlier answer gave',
    async (after) => {
      const { body } = await objects.list({ after }).expect(422);
      expect(body).toMatchObject({
        detail: [{ loc: ['query', 'after'], msg: 'Value error, after must be the next_after of an earlier answer' }],
      });
    },
  );
});

describe('a stored object', () => {
  beforeEach(newTenant);

  it('keeps its content when it gets another key, type and metadata', async () => {
    const { id, etag } = await objects.stored('old', 'content');
    const { body } = await objects
      .change(id, { key: 'new', content_type: 'text/csv', metadata: { a: 'b' } })
      .expect(200);
    expect(body).toMatchObject({ id, key: 'new', etag, version: 1, content_type: 'text/csv', metadata: { a: 'b' } });
    expect((await acts()).at(-1)).toMatchObject({ action: 'object.updated', detail: { key: 'new' } });
    await objects.stored('old', 'again');
    expect((await objects.change(id, { key: 'old' }).expect(409)).body).toEqual({ detail: 'Object already exists' });
    expect((await objects.change(id, {}).expect(200)).body).toEqual(body);
    await objects.change(id, { key: 'x' }).set('If-Match', '"other"').expect(412);
    await objects.change(id, { key: 'x' }).set('If-Match', `"${etag}"`).expect(200);
  });

  it('gets the key or a conflict when two objects swap their keys at once', async () => {
    const [one, other] = [await objects.stored('one'), await objects.stored('other')];
    for (let round = 0; round < 10; round += 1) {
      const [a, b, x] = await Promise.all([
        objects.change(one.id, { key: 'other' }),
        objects.change(other.id, { key: 'one' }),
        objects.change(one.id, { key: `free-${round}` }),
      ]);
      expect([a, b, x].map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([]);
      await objects.change(one.id, { key: `one-${round}` }).expect(200);
      await objects.change(other.id, { key: 'other' }).expect(200);
      await objects.change(one.id, { key: 'one' }).expect(200);
    }
  });

  it('returns 404 once it is deleted, and counts no more', async () => {
    const { id, etag } = await objects.stored('one', 'content');
    await objects.remove(id).set('If-Match', '"other"').expect(412);
    await objects.remove(id).set('If-Match', `"${etag}"`).expect(204);
    for (const again of [objects.remove(id), objects.get(id), objects.change(id, {})])
      expect((await again.expect(404)).body).toEqual({ detail: 'Object not found' });
    expect(await objects.usage()).toMatchObject({ storage: { bytes_used: 0, objects: 0 }, project: { objects: 0 } });
    expect((await acts()).at(-1)).toEqual({ action: 'object.deleted', detail: { key: 'one', size: 7, version: 1 } });
  });

  it('is neither seen nor changed by somebody outside of its project', async () => {
    const { id } = await objects.stored('mine');
    const globex = await tenant();
    const theirs = new ProjectObjects(acme.projectId, globex.owner);
    for (const asked of [theirs.get(id), theirs.change(id, { key: 'x' }), theirs.remove(id)])
      expect((await asked.expect(404)).body).toEqual({ detail: 'Object not found' });
    for (const asked of [
      theirs.list(),
      theirs.put('x'),
      theirs.usageOf(acme.projectId),
      theirs.begin({ key: 'a', size: 1 }),
    ])
      expect((await asked.expect(403)).body).toEqual({ detail: 'Not a project member' });
  });

  it('returns 404 under an unknown id and 422 under a malformed one', async () => {
    await objects.get(NOWHERE).expect(404);
    await objects.usageOf(NOWHERE).expect(404);
    await objects.complete({ id: NOWHERE }).expect(404);
    await objects.abort({ id: NOWHERE }).expect(404);
    await objects.get('nonsense').expect(422);
  });

  it.each([
    ['viewer', [200, 403, 403, 403]],
    ['operator', [200, 201, 200, 403]],
    ['admin', [200, 201, 200, 204]],
  ] as const)('is listed, added, changed and deleted by a project %s with the statuses %j', async (role, statuses) => {
    const { id } = await objects.stored('mine');
    const theirs = new ProjectObjects(acme.projectId, await acme[role]());
    const seen = [
      (await theirs.list()).status,
      (await theirs.put('new')).status,
      (await theirs.change(id, { metadata: {} })).status,
      (await theirs.remove(id)).status,
    ];
    expect(seen).toEqual(statuses);
  });

  it('stays readable and removable, and nothing is added, when billing stops or the project is archived', async () => {
    const { id } = await objects.stored('mine', 'content');
    const upload = await objects.begun({ key: 'parts', size: 10 });
    const stays = async (detail: string): Promise<void> => {
      for (const refused of [
        objects.put('more'),
        objects.change(id, { key: 'x' }),
        objects.begin({ key: 'y', size: 1 }),
        objects.complete(upload),
        objects.part(upload, 1, Buffer.alloc(10)),
      ])
        expect((await refused.expect(403)).body).toEqual({ detail });
      expect(await content(id)).toBe('content');
    };
    await setBillingStatus(acme.organizationId, 'canceled');
    await stays('Organization billing is not active.');
    await setBillingStatus(acme.organizationId, 'blocked');
    await stays('Blocked by billing enforcement.');
    await setBillingStatus(acme.organizationId, 'active');
    await api.as(acme.owner).post(`/v1/projects/${acme.projectId}/archive`).expect(200);
    await stays('Project is archived');
    await objects.abort(upload).expect(204);
    await objects.remove(id).expect(204);
  });
});

describe('a change of the metadata of an object', () => {
  let id: string;

  beforeAll(async () => {
    await newTenant();
    ({ id } = await objects.stored('one'));
  });

  it.each<[object, string]>([
    [{ 'not ok': 'x' }, 'metadata must have names of 1 to 64 letters, digits, _ and -'],
    [{ a: 1 }, 'metadata must have texts of at most 512 characters'],
    [{ a: 'x'.repeat(513) }, 'metadata must have texts of at most 512 characters'],
    [
      Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`n${at}`, ''])),
      'metadata must have at most 32 members',
    ],
  ])('is refused: %j', async (metadata, sentence) => {
    const { body } = await objects.change(id, { metadata }).expect(422);
    expect(body).toMatchObject({ detail: [{ loc: ['body', 'metadata'], msg: `Value error, ${sentence}` }] });
  });
});
