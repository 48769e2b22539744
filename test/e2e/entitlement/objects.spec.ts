import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ObjectStore } from '../../../src/platform/storage/index.js';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { HeldRequest, type ObjectRecord, Objects, sha256, storedFiles } from '../../support/objects.js';

const NOBODY = '0199f3a1-0000-7000-8000-000000000000';
const TOKEN = 'maintenance-token-of-the-object-suite';
const KEY_RULE = 'Value error, key must be a path of names without leading slash, empty, . or .. parts';

describe('Objects', () => {
  let app: TestApp;
  let owner: Owner;
  let objects: Objects;

  beforeAll(async () => {
    app = await createTestApp({
      env: { STORAGE_LIMITS: 'free=1MB/2MB/512KB', OBJECT_BODY_MAX_BYTES: '600000', INTERNAL_JOB_TOKEN: TOKEN },
    });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    objects = new Objects(app, owner);
  });

  const acts = (): Promise<object[]> =>
    app.rows(
      `SELECT action, detail FROM audit_events WHERE project_id = $1 AND target_type = 'object' ORDER BY created_at, id`,
      [owner.projectId],
    );
  const maintain = (): Promise<unknown> =>
    app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200);
  const writing = async (): Promise<number> =>
    (await app.rows(`SELECT 1 FROM stored_blobs WHERE project_id = $1 AND state = 'writing'`, [owner.projectId]))
      .length;
  const content = async (id: string): Promise<string> =>
    (
      await app
        .request()
        .get(await objects.link(id))
        .expect(200)
    ).text;

  describe('in one request', () => {
    it('are what was sent, and say so', async () => {
      const { body } = await objects.put('reports/ä b.txt', 'hello').expect(201);
      expect(body).toEqual({
        id: expect.any(String),
        project_id: owner.projectId,
        key: 'reports/ä b.txt',
        size: 5,
        content_type: 'text/plain',
        etag: sha256('hello'),
        sha256: sha256('hello'),
        metadata: {},
        version: 1,
        created_by: owner.id,
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

    it('may be empty', async () => {
      const record = await objects.stored('empty', '');
      expect(record).toMatchObject({ size: 0, sha256: sha256('') });
      const answer = await app
        .request()
        .get(await objects.link(record.id))
        .expect(200);
      expect(answer.headers['content-length']).toBe('0');
    });

    it.each([
      ['in pieces', false],
      ['with more than one megabyte of promises', true],
    ])('come %s without a length', async (_title, isLarge) => {
      const bytes = Buffer.alloc(isLarge ? 500_000 : 1_000, 'x');
      const status = await chunked(`/v1/core/objects?project_id=${owner.projectId}&key=pieces`, bytes);
      expect(status).toBe(201);
      expect((await objects.usage()).storage).toMatchObject({ bytes_used: bytes.length, bytes_reserved: 0 });
    });

    it('of a type that nobody knows are octets, and the query wins', async () => {
      const send = (query: object, type?: string) => {
        const sent = app
          .request()
          .post('/v1/core/objects')
          .query({ project_id: owner.projectId, ...query })
          .set('Authorization', owner.bearer);
        if (type !== undefined) void sent.set('Content-Type', type);
        return sent.serialize((body: unknown) => body as string).send(Buffer.from('x') as unknown as string);
      };
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
    ])('are not stored under %j', async (key) => {
      const { body } = await objects.put(key, 'x').expect(422);
      expect(body).toMatchObject({ detail: [{ type: 'value_error', loc: ['query', 'key'], msg: KEY_RULE }] });
      expect((await objects.list().expect(200)).body).toMatchObject({ items: [] });
    });

    it.each([['ä'.repeat(512)], ['a/b/c'], ['...'], ['.hidden'], ['a b'], ['%2e%2e'], ['é'], ['e\u0301']])(
      'are stored under %j',
      async (key) => {
        expect(await objects.stored(key)).toMatchObject({ key });
      },
    );

    it('are told apart by every byte of their keys', async () => {
      for (const key of ['a', 'A', 'é', 'e\u0301']) await objects.stored(key);
      expect(await objects.usage()).toMatchObject({ storage: { objects: 4 } });
    });

    it('need a key', async () => {
      const answer = await app
        .request()
        .post('/v1/core/objects')
        .query({ project_id: owner.projectId })
        .set('Authorization', owner.bearer)
        .set('Content-Type', 'text/plain')
        .send('x')
        .expect(422);
      expect(answer.body).toMatchObject({ detail: [{ type: 'missing', loc: ['query', 'key'] }] });
    });

    it('keep what they had unless they are to be overwritten', async () => {
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

    it('heed If-Match and If-None-Match', async () => {
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

    it('are held against their digests', async () => {
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

    it('are refused when compressed, too large for a request, or for the plan', async () => {
      expect((await objects.put('a', 'x').set('Content-Encoding', 'gzip').expect(415)).body).toEqual({
        detail: 'Unsupported Media Type',
      });
      expect((await objects.put('a', Buffer.alloc(600_001)).expect(413)).body).toEqual({
        detail: 'Request body too large',
      });
      expect((await objects.put('a', Buffer.alloc(512 * 1024 + 1)).expect(413)).body).toEqual({
        detail: 'File exceeds the maximum size of the plan',
      });
      await objects.put('a', Buffer.alloc(512 * 1024)).expect(201);
      for (const bytes of [512 * 1024 + 1, 600_001]) {
        expect(await chunked(`/v1/core/objects?project_id=${owner.projectId}&key=b`, Buffer.alloc(bytes))).toBe(413);
      }
      expect(await objects.usage()).toMatchObject({
        storage: { objects: 1, bytes_used: 512 * 1024, bytes_reserved: 0 },
      });
    });

    it('leave nothing when they break off', async () => {
      await new Promise<void>((resolve) => {
        const sent = httpRequest(`${app.url}/v1/core/objects?project_id=${owner.projectId}&key=broken`, {
          method: 'POST',
          headers: { Authorization: owner.bearer, 'Content-Length': 400_000 },
        });
        sent.on('error', () => resolve());
        sent.write(Buffer.alloc(200_000), () => setImmediate(() => sent.destroy()));
      });
      await until(async () => (await objects.usage()).storage.bytes_reserved === 0);
      expect((await objects.list()).body).toMatchObject({ items: [] });
      expect(await objects.usage()).toMatchObject({ storage: { bytes_used: 0, objects: 0 } });
    });

    it.each(['with a length', 'in chunks'])(
      'give back what was set aside at once when the client ends %s early without closing',
      async (form) => {
        const { hostname, port } = new URL(app.url);
        const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
        const isChunked = form === 'in chunks';
        socket.write(
          [
            `POST /v1/core/objects?project_id=${owner.projectId}&key=ended HTTP/1.1`,
            'Host: x',
            `Authorization: ${owner.bearer}`,
            isChunked ? 'Transfer-Encoding: chunked' : 'Content-Length: 400000',
            '\r\n',
          ].join('\r\n'),
        );
        socket.write(isChunked ? `61a80\r\n${'x'.repeat(200_000)}` : 'x'.repeat(200_000));
        await until(async () => (await writing()) === 1);
        const answer = text(socket);
        socket.end();
        expect(await answer).toMatch(/^HTTP\/1.1 400 /);
        await until(async () => (await writing()) === 0);
        expect((await objects.usage()).storage).toMatchObject({ bytes_used: 0, bytes_reserved: 0 });
        expect(app.logLines.filter((line) => /"level":"?error/.test(line))).toEqual([]);
      },
    );

    it('are refused when their key is not UTF-8, in queries and forms', async () => {
      const send = (query: string) =>
        app.request().post(`/v1/core/objects?project_id=${owner.projectId}${query}`).set('Authorization', owner.bearer);
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
          .serialize((given: unknown) => given as string)
          .send(Buffer.from(`--b\r\n${head}\r\n--b--\r\n`, 'latin1') as unknown as string)
          .expect(422);
        expect([name, body]).toMatchObject([
          name,
          { detail: [{ type: 'value_error', loc: ['body', 'key'], msg: KEY_RULE }] },
        ]);
      }
      await send('&key=caf%C3%A9-%EF%BF%BD+100%25%zz.txt').set('Content-Type', 'text/plain').send('x').expect(201);
      expect((await objects.list()).body).toMatchObject({ items: [{ key: 'café-\ufffd 100%%zz.txt' }] });
    });

    it('are stored to the last byte of the quota, and not one more, by many at once', async () => {
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
          'x-service-storage-limit': String(1024 * 1024),
          'x-service-upgrade-url': expect.any(String),
          'x-service-storage-used': expect.stringMatching(/^\d+$/),
        },
      });
      expect((await objects.usage()).storage).toEqual({
        bytes_used: 1024 * 1024,
        bytes_reserved: 0,
        bytes_limit: 1024 * 1024,
        bytes_remaining: 0,
        objects: 16,
        is_near_limit: false,
      });
      // An overwrite counts the difference.
      await objects.put('parallel/0', 'x', { overwrite: 'true' }).expect((answer) => {
        expect([201, 409]).toContain(answer.status);
      });
    });

    it('set aside what they add, where they take the place of others', async () => {
      const full = Buffer.alloc(512 * 1024);
      await objects.stored('one', full);
      await objects.stored('two', full);
      const address = `${app.url}/v1/core/objects?project_id=${owner.projectId}&key=one&overwrite=true`;
      const headers = { Authorization: owner.bearer, 'Content-Length': String(full.length) };
      const slow = new HeldRequest(address, { headers });
      await slow.write(full.subarray(0, 1000));
      await until(async () => (await writing()) === 1);
      expect((await objects.usage()).storage).toMatchObject({ bytes_used: 1024 * 1024, bytes_reserved: 0 });
      await objects.stored('two', full, { overwrite: 'true' });
      await objects.put('three', 'x').expect(403);
      expect((await slow.end(full.subarray(1000))).status).toBe(201);

      // What was to be replaced has become less meanwhile, and somebody else has taken the room.
      const late = new HeldRequest(address, { headers });
      await late.write(full.subarray(0, 1000));
      await until(async () => (await writing()) === 1);
      await objects.stored('one', 'x', { overwrite: 'true' });
      await objects.stored('three', Buffer.alloc(1000));
      expect((await late.end(full.subarray(1000))).status).toBe(403);
      expect((await objects.usage()).storage).toMatchObject({ bytes_used: 512 * 1024 + 1001, bytes_reserved: 0 });

      // After a downgrade less may take the place of more.
      await app.rows('UPDATE storage_totals SET stored = stored * 4 WHERE organization_id = $1', [
        owner.organizationId,
      ]);
      await objects.stored('two', full.subarray(1), { overwrite: 'true' });
      await objects.put('two', full, { overwrite: 'true' }).expect(403);
    });

    it('count nothing, and leave nothing, when their lease was lost', async () => {
      const store = app.nest.get(ObjectStore);
      const put = store.put.bind(store);
      const spy = jest.spyOn(store, 'put').mockImplementationOnce(async (...given) => {
        await app.rows(`UPDATE stored_blobs SET due_at = now() - interval '1 second' WHERE project_id = $1`, [
          owner.projectId,
        ]);
        await maintain();
        await put(...given);
      });
      await objects.put('late', 'too late').expect(503);
      spy.mockRestore();
      expect((await objects.usage()).storage).toMatchObject({ bytes_used: 0, bytes_reserved: 0, objects: 0 });
      await maintain();
      const rows = await app.rows('SELECT state FROM stored_blobs WHERE project_id = $1', [owner.projectId]);
      expect(rows).toEqual([]);
      // Others may still be coming, each with its row.
      const known = new Set((await app.rows<{ id: string }>('SELECT id FROM stored_blobs')).map(({ id }) => id));
      const names = [...(await storedFiles(app.dataDir)).keys()].map((path) => path.split('/').at(-1) ?? '');
      expect(names.filter((name) => !known.has(name.replace(/\.draft$/, '')))).toEqual([]);
    });

    it('take a key once, however many want it', async () => {
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

  describe('as a form', () => {
    const form = (query: Record<string, string> = {}) =>
      app
        .request()
        .post('/v1/core/objects')
        .query({ project_id: owner.projectId, ...query })
        .set('Authorization', owner.bearer);

    it('bring key, type and metadata before the file', async () => {
      const { body } = await form({ key: 'from query' })
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

    it('are called like their file when they say nothing', async () => {
      const { body } = await form()
        .attach('file', Buffer.from('x'), { filename: 'C:\\folder\\photo.png', contentType: 'image/png' })
        .expect(201);
      expect(body).toMatchObject({ key: 'photo.png', content_type: 'image/png' });
    });

    it.each([
      ['text/plain', 'text/plain'],
      ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
      [undefined, 'application/octet-stream'],
    ])('keep the type %s of their part', async (sent, content_type) => {
      const head = `Content-Disposition: form-data; name="file"; filename="f"${sent === undefined ? '' : `\r\nContent-Type: ${sent}`}`;
      const { body } = await form({ key: 'typed' })
        .set('Content-Type', 'multipart/form-data; boundary=b')
        .serialize((given: unknown) => given as string)
        .send(
          `--b\r\nContent-Disposition: form-data; name="other"\r\nContent-Type: image/png\r\n\r\nx\r\n--b\r\n${head}\r\n\r\nabc\r\n--b--\r\n`,
        )
        .expect(201);
      expect(body).toMatchObject({ content_type, size: 3 });
    });

    it('may bring the content as a field', async () => {
      const { body } = await form({ key: 'field' }).field('file', 'content').expect(201);
      expect(body).toMatchObject({ size: 7, content_type: 'application/octet-stream' });
    });

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
      ['of another kind', 'x', 'multipart/mixed; boundary=b', 422, { type: 'value_error', loc: ['body'] }],
      [
        'with bad metadata',
        '--b\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n[1]\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nabc\r\n--b--\r\n',
        undefined,
        422,
        { type: 'value_error', loc: ['body', 'metadata'] },
      ],
      [
        'with a bad key',
        '--b\r\nContent-Disposition: form-data; name="key"\r\n\r\n../x\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nabc\r\n--b--\r\n',
        undefined,
        422,
        { type: 'value_error', loc: ['body', 'key'], msg: KEY_RULE },
      ],
    ])('%s are refused', async (_title, text, type, status, row) => {
      const { body } = await form()
        .set('Content-Type', type ?? 'multipart/form-data; boundary=b')
        .serialize((given: unknown) => given as string)
        .send(text)
        .expect(status);
      expect(body).toMatchObject({ detail: [row] });
      expect(await objects.usage()).toMatchObject({ storage: { objects: 0, bytes_reserved: 0 } });
    });

    it('of thousands of parts are too large, wherever the file stands among them', async () => {
      const part = (name: string): string =>
        `--x\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\n\r\ncontent\r\n`;
      const many = part('other').repeat(1_100);
      for (const body of [many + part('file'), part('file') + many])
        await app
          .request()
          .post('/v1/core/objects')
          .query({ project_id: owner.projectId, key: 'a' })
          .set('Authorization', owner.bearer)
          .set('Content-Type', 'multipart/form-data; boundary=x')
          .send(`${body}--x--\r\n`)
          .expect(413);
      expect((await objects.usage()).storage).toMatchObject({ bytes_used: 0, bytes_reserved: 0 });
    });

    it('with too many or too long fields are too large', async () => {
      const many = form({ key: 'a' });
      for (let at = 0; at < 21; at += 1) void many.field(`f${at}`, 'x');
      await many.attach('file', Buffer.from('x'), 'x').expect(413);
      await form({ key: 'a' }).field('note', 'x'.repeat(8193)).attach('file', Buffer.from('x'), 'x').expect(413);
      await form({ key: 'a' })
        .attach('file', Buffer.alloc(512 * 1024 + 1), 'x')
        .expect(413);
      await form({ key: 'a' })
        .attach('file', Buffer.alloc(512 * 1024), 'x')
        .expect(201);
    });
  });

  describe('in lists', () => {
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

    beforeEach(async () => {
      for (const key of [...KEYS].reverse()) await objects.stored(key);
    });

    it.each([1, 2, 3, 100])('stand in the order of bytes, page by page of %d', async (limit) => {
      expect(await pages({ limit })).toEqual([KEYS, []]);
      expect(await pages({ limit, prefix: 'a/' })).toEqual([['a/1', 'a/2', 'a/b/3'], []]);
      expect(await pages({ limit, prefix: '😀' })).toEqual([['😀/x'], []]);
    });

    it.each([1, 2, 3, 100])('stand under common beginnings, page by page of %d', async (limit) => {
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
      'begin behind an earlier answer, not behind %j',
      async (after) => {
        const { body } = await objects.list({ after }).expect(422);
        expect(body).toMatchObject({
          detail: [{ loc: ['query', 'after'], msg: 'Value error, after must be the next_after of an earlier answer' }],
        });
      },
    );
  });

  describe('one by one', () => {
    it('are renamed and described, and keep their content', async () => {
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

    it.each<[object, string]>([
      [{ 'not ok': 'x' }, 'metadata must have names of 1 to 64 letters, digits, _ and -'],
      [{ a: 1 }, 'metadata must have texts of at most 512 characters'],
      [{ a: 'x'.repeat(513) }, 'metadata must have texts of at most 512 characters'],
      [
        Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`n${at}`, ''])),
        'metadata must have at most 32 members',
      ],
    ])('are not described by %j', async (metadata, sentence) => {
      const { id } = await objects.stored('one');
      const { body } = await objects.change(id, { metadata }).expect(422);
      expect(body).toMatchObject({ detail: [{ loc: ['body', 'metadata'], msg: `Value error, ${sentence}` }] });
    });

    it('may swap their keys with others at once', async () => {
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

    it('are deleted, and gone', async () => {
      const { id, etag } = await objects.stored('one', 'content');
      await objects.remove(id).set('If-Match', '"other"').expect(412);
      await objects.remove(id).set('If-Match', `"${etag}"`).expect(204);
      for (const again of [objects.remove(id), objects.get(`objects/${id}`), objects.change(id, {})])
        expect((await again.expect(404)).body).toEqual({ detail: 'Object not found' });
      expect(await objects.usage()).toMatchObject({ storage: { bytes_used: 0, objects: 0 }, project: { objects: 0 } });
      expect((await acts()).at(-1)).toEqual({ action: 'object.deleted', detail: { key: 'one', size: 7, version: 1 } });
    });
  });

  describe('belong to a project', () => {
    it('and nobody else sees or touches them', async () => {
      const { id } = await objects.stored('mine');
      const stranger = await ownerWithProject(app);
      const theirs = new Objects(app, owner, stranger);
      for (const asked of [theirs.get(`objects/${id}`), theirs.change(id, { key: 'x' }), theirs.remove(id)])
        expect((await asked.expect(404)).body).toEqual({ detail: 'Object not found' });
      for (const asked of [
        theirs.list(),
        theirs.put('x'),
        theirs.get('usage', { project_id: owner.projectId }),
        theirs.begin({ key: 'a', size: 1 }),
      ])
        expect((await asked.expect(403)).body).toEqual({ detail: 'Not a project member' });
      for (const id of [NOBODY]) {
        await objects.get(`objects/${id}`).expect(404);
        await objects.get('usage', { project_id: id }).expect(404);
        await objects.complete({ id }).expect(404);
        await objects.abort({ id }).expect(404);
      }
      await objects.get('objects/nonsense').expect(422);
    });

    it.each([
      ['viewer', [200, 403, 403, 403]],
      ['operator', [200, 201, 200, 403]],
      ['admin', [200, 201, 200, 204]],
    ] as const)('whose %s may do so much', async (role, statuses) => {
      const { id } = await objects.stored('mine');
      const theirs = new Objects(app, owner, await addMember(app, owner, role));
      const seen = [
        (await theirs.list()).status,
        (await theirs.put('new')).status,
        (await theirs.change(id, { metadata: {} })).status,
        (await theirs.remove(id)).status,
      ];
      expect(seen).toEqual(statuses);
    });

    it('stay readable and removable when it is archived or billing stops, and nothing is added', async () => {
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
      const billing = (status: string): Promise<unknown> =>
        app.rows('UPDATE organizations SET billing_status = $2 WHERE id = $1', [owner.organizationId, status]);
      await billing('canceled');
      await stays('Organization billing is not active.');
      await billing('blocked');
      await stays('Blocked by billing enforcement.');
      await billing('active');
      await app
        .request()
        .post(`/v1/projects/${owner.projectId}/archive`)
        .set('Authorization', owner.bearer)
        .expect(200);
      await stays('Project is archived');
      await objects.abort(upload).expect(204);
      await objects.remove(id).expect(204);
    });
  });

  /** @returns the status of a body that is sent in chunks, without its length */
  function chunked(path: string, bytes: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(app.url + path, { method: 'POST', headers: { Authorization: owner.bearer } });
      sent.on('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject);
      for (let at = 0; at < bytes.length; at += 50_000) sent.write(bytes.subarray(at, at + 50_000));
      sent.end();
    });
  }
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  await eventually(holds, (held) => held);
}
