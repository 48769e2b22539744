import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SLOW_SENDER_LIMITS } from '../../../src/platform/http/streamed-body.js';
import { ObjectStore, StoreUnavailable } from '../../../src/platform/storage/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  HeldRequest,
  type ObjectRecord,
  Objects,
  sha256,
  storedFiles,
  type UploadRecord,
} from '../../support/objects.js';
import { anyAct, StorageModel } from '../../support/storage-model.js';
import { propertyRuns } from '../../support/property-runs.js';

const PART = 5 * 1024 * 1024;
const TOKEN = 'maintenance-token-of-the-upload-suite';

describe('Uploads in parts', () => {
  let app: TestApp;
  let owner: Owner;
  let objects: Objects;

  beforeAll(async () => {
    app = await createTestApp({
      env: { STORAGE_LIMITS: 'free=100MB/-/64MB,pro=2KB/-/1KB', INTERNAL_JOB_TOKEN: TOKEN },
    });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    objects = new Objects(app, owner);
  });

  const maintain = (): Promise<unknown> =>
    app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200);
  const blobs = (): Promise<{ id: string; state: string }[]> =>
    app.rows('SELECT id, state FROM stored_blobs WHERE project_id = $1 ORDER BY created_at', [owner.projectId]);
  const blobOf = async (upload: UploadRecord): Promise<string> => {
    const [row] = await app.rows<{ id: string }>('SELECT blob_id AS id FROM object_uploads WHERE id = $1', [upload.id]);
    return row?.id ?? '';
  };
  const contentOf = async (id: string): Promise<Buffer> =>
    (
      await app
        .request()
        .get(await objects.link(id))
        .buffer(true)
        .expect(200)
    ).body as Buffer;
  const bytes = (number: number, size = PART): Buffer => Buffer.alloc(size, number);
  const etagOf = (...parts: Buffer[]): string =>
    `${sha256(Buffer.concat(parts.map((part) => createHash('sha256').update(part).digest())))}-${parts.length}`;

  it('become an object of all their parts', async () => {
    const size = 2 * PART + 7;
    const { body } = await objects
      .begin({ key: 'a/b.bin', size, part_size: PART, content_type: 'image/png', metadata: { a: 'b' } })
      .expect(201);
    const upload = body as UploadRecord;
    expect(body).toEqual({
      id: expect.any(String),
      project_id: owner.projectId,
      key: 'a/b.bin',
      size,
      content_type: 'image/png',
      metadata: { a: 'b' },
      part_size: PART,
      part_count: 3,
      parts: [1, 2, 3].map((number) => ({
        part_number: number,
        size: number === 3 ? 7 : PART,
        url: expect.stringContaining(`/v1/core/uploads/${upload.id}/parts/${number}?expires=`),
      })),
      status: 'open',
      created_at: expect.any(String),
      expires_at: expect.any(String),
    });
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: 0, bytes_reserved: size, objects: 0 });

    const third = Buffer.from('the end');
    expect((await objects.part(upload, 3, third).expect(200)).body).toEqual({
      upload_id: upload.id,
      part_number: 3,
      size: 7,
      etag: sha256(third),
    });
    expect((await objects.complete(upload).expect(409)).body).toEqual({
      detail: { code: 'upload_incomplete', reason: 'Parts are missing', missing_parts: [1, 2] },
    });
    await Promise.all([objects.part(upload, 2, bytes(2)).expect(200), objects.part(upload, 1, bytes(1)).expect(200)]);
    const named = [bytes(1), bytes(2), third].map((part, index) => ({ part_number: index + 1, etag: sha256(part) }));
    const wrong = named.map((part, index) => (index === 1 ? { ...part, etag: 'x' } : part));
    expect((await objects.complete(upload, { parts: wrong }).expect(409)).body).toMatchObject({
      detail: { code: 'part_mismatch', part_number: 2 },
    });
    for (const parts of [[], named.slice(1), [...named].reverse(), [...named, { part_number: 4, etag: 'x' }]])
      await objects.complete(upload, { parts }).expect(422);

    const completed = (await objects.complete(upload, { parts: named }).expect(200)).body as ObjectRecord;
    expect(completed).toMatchObject({
      key: 'a/b.bin',
      size,
      content_type: 'image/png',
      metadata: { a: 'b' },
      etag: etagOf(bytes(1), bytes(2), third),
      sha256: null,
      version: 1,
    });
    const answer = await app
      .request()
      .get(await objects.link(completed.id))
      .buffer(true)
      .expect(200);
    expect(sha256(answer.body as Buffer)).toBe(sha256(Buffer.concat([bytes(1), bytes(2), third])));
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: size, bytes_reserved: 0, objects: 1 });
    expect((await objects.complete(upload).expect(200)).body).toEqual(completed);
    expect((await objects.part(upload, 1, bytes(1)).expect(409)).body).toEqual({
      detail: 'Upload is already completed',
    });
    expect((await objects.abort(upload).expect(409)).body).toEqual({ detail: 'Upload is already completed' });
    await objects.remove(completed.id).expect(204);
    expect((await objects.complete(upload).expect(404)).body).toEqual({ detail: 'Object not found' });
  });

  it.each<[object, number]>([
    [{ size: 0 }, 422],
    [{ size: -1 }, 422],
    [{ size: 1.5 }, 422],
    [{ size: 1, part_size: PART - 1 }, 422],
    [{ size: 1, part_size: 5 * 1024 ** 3 + 1 }, 422],
    [{ size: 1, key: '/a' }, 422],
    [{ size: 1, content_type: 'x' }, 422],
    [{ size: 1, metadata: { a: 1 } }, 422],
    [{ size: 64 * 1024 ** 2 + 1 }, 413],
  ])('do not begin with %j', async (body, status) => {
    await objects.begin({ key: 'a', ...body }).expect(status);
    expect((await objects.usage()).storage).toMatchObject({ bytes_reserved: 0 });
  });

  it('set all of their size aside, and no more than there is', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) => objects.begin({ key: `big-${at}`, size: 40 * 1024 ** 2 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403, 403]);
    const [open] = answers.filter(({ status }) => status === 201);
    await objects.abort(open?.body as UploadRecord).expect(204);
    expect((await objects.abort(open?.body as UploadRecord).expect(404)).body).toEqual({ detail: 'Upload not found' });
    await objects.begin({ key: 'again', size: 40 * 1024 ** 2 }).expect(201);
  });

  it('take parts of their length alone', async () => {
    const upload = await objects.begun({ key: 'a', size: 100 });
    expect((await objects.part(upload, 1, Buffer.alloc(101)).expect(413)).body).toEqual({
      detail: 'Request body too large',
    });
    const short = await objects.part(upload, 1, Buffer.alloc(99)).expect(422);
    expect(short.body).toMatchObject({
      detail: [{ type: 'value_error', loc: ['body'], msg: 'Value error, part 1 has 100 bytes' }],
    });
    expect(await chunked(upload, Buffer.alloc(99))).toBe(422);
    expect(await chunked(upload, Buffer.alloc(101))).toBe(413);
    await objects.part(upload, 1, Buffer.alloc(100)).set('Content-Encoding', 'gzip').expect(415);
    const other = createHash('md5').update('other').digest('base64');
    await objects.part(upload, 1, Buffer.alloc(100)).set('Content-MD5', other).expect(422);
    await objects.complete(upload).expect(409);
    expect(await chunked(upload, Buffer.alloc(100, 7))).toBe(200);
    expect((await objects.complete(upload).expect(200)).body).toMatchObject({ etag: etagOf(Buffer.alloc(100, 7)) });
  });

  it('take a part again, and keep what they have until it is whole', async () => {
    const upload = await objects.begun({ key: 'a', size: 100 });
    await objects.part(upload, 1, Buffer.alloc(100, 1)).expect(200);
    await broken(upload, Buffer.alloc(50, 2));
    await objects.part(upload, 1, Buffer.alloc(99, 3)).expect(422);
    await objects.part(upload, 1, Buffer.alloc(100, 4)).expect(200);
    await broken(upload, Buffer.alloc(50, 5));
    const completed = (await objects.complete(upload).expect(200)).body as ObjectRecord;
    const answer = await app
      .request()
      .get(await objects.link(completed.id))
      .buffer(true)
      .expect(200);
    expect((answer.body as Buffer).equals(Buffer.alloc(100, 4))).toBe(true);
  });

  it('hold one whole part of many that are sent at once', async () => {
    const upload = await objects.begun({ key: 'a', size: PART });
    const sent = Array.from({ length: 6 }, (_, at) => Buffer.alloc(PART, at + 1));
    const answers = await Promise.all(sent.map((part) => objects.part(upload, 1, part)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const completed = (await objects.complete(upload).expect(200)).body as ObjectRecord;
    const answer = await app
      .request()
      .get(await objects.link(completed.id))
      .buffer(true)
      .expect(200);
    const whole = sent.filter((part) => part.equals(answer.body as Buffer));
    expect(whole).toHaveLength(1);
    expect(completed.etag).toBe(etagOf(...whole));
  });

  it('are completed once, however many ask', async () => {
    const upload = await objects.begun({ key: 'a', size: 100 });
    await objects.part(upload, 1, Buffer.alloc(100)).expect(200);
    const answers = await Promise.all(Array.from({ length: 20 }, () => objects.complete(upload)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map(({ body }) => (body as ObjectRecord).id)).size).toBe(1);
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: 100, bytes_reserved: 0, objects: 1 });
    const acts = await app.rows(`SELECT 1 FROM audit_events WHERE project_id = $1 AND action = 'object.created'`, [
      owner.projectId,
    ]);
    expect(acts).toHaveLength(1);
  });

  it('do not take a key that somebody else has taken meanwhile', async () => {
    await objects.stored('taken');
    expect((await objects.begin({ key: 'taken', size: 1 }).expect(409)).body).toEqual({
      detail: 'Object already exists',
    });
    const upload = await objects.begun({ key: 'a', size: 100 });
    await objects.part(upload, 1, Buffer.alloc(100)).expect(200);
    const { id } = await objects.stored('a', 'x');
    await objects.complete(upload).expect(409);
    await objects.remove(id).expect(204);
    await objects.complete(upload).expect(200);
  });

  it('take the place of what was there, where that is meant', async () => {
    const old = await objects.stored('a', 'old content');
    const upload = await objects.begun({ key: 'a', size: 100, overwrite: true });
    await objects.part(upload, 1, Buffer.alloc(100)).expect(200);
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: 11, bytes_reserved: 100 });
    expect((await objects.complete(upload).expect(200)).body).toMatchObject({ id: old.id, version: 2, size: 100 });
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: 100, bytes_reserved: 0, objects: 1 });
    await objects.stored('a', 'newer', { overwrite: 'true' });
    expect((await objects.complete(upload).expect(200)).body).toMatchObject({ id: old.id, version: 3, size: 5 });
  });

  it('take no more room than they have set aside, however often a part is sent', async () => {
    const upload = await objects.begun({ key: 'a', size: 1000 });
    for (let round = 1; round <= 12; round += 1) await objects.part(upload, 1, Buffer.alloc(1000, round)).expect(200);
    const blobId = await blobOf(upload);
    const sizes = [...(await storedFiles(app.dataDir))].filter(([path]) => path.includes(blobId));
    expect(sizes.reduce((sum, [, size]) => sum + size, 0)).toBeLessThanOrEqual(2000);
    const { id, etag } = (await objects.complete(upload).expect(200)).body as ObjectRecord;
    expect(etag).toBe(etagOf(Buffer.alloc(1000, 12)));
    expect(await contentOf(id)).toEqual(Buffer.alloc(1000, 12));
  });

  it('do not mix with what somebody still writes who only seemed to be dead', async () => {
    const upload = await objects.begun({ key: 'a', size: 1000 });
    await app.rows(
      `INSERT INTO object_upload_parts (upload_id, part_number, slot, state, writer, lease_expires_at)
       VALUES ($1, 1, 0, 'writing', gen_random_uuid(), now() - interval '1 minute')`,
      [upload.id],
    );
    await objects.part(upload, 1, Buffer.alloc(1000, 1)).expect(200);
    const late = await open(join(app.dataDir, 'objects', 'staging', await blobOf(upload), 'parts'), 'r+');
    await late.write(Buffer.alloc(1000, 2), 0, 1000, 0);
    await late.close();
    const { id, etag } = (await objects.complete(upload).expect(200)).body as ObjectRecord;
    expect(etag).toBe(etagOf(Buffer.alloc(1000, 1)));
    expect(await contentOf(id)).toEqual(Buffer.alloc(1000, 1));
  });

  it('take no part any more once somebody has begun to complete them, also when that one died', async () => {
    const upload = await objects.begun({ key: 'a', size: 100 });
    await objects.part(upload, 1, Buffer.alloc(100, 1)).expect(200);
    await app.rows(
      `UPDATE object_uploads SET claim = gen_random_uuid(), claim_expires_at = now() - interval '1 second' WHERE id = $1`,
      [upload.id],
    );
    await objects.part(upload, 1, Buffer.alloc(100, 2)).expect(503);
    const { id, etag } = (await objects.complete(upload).expect(200)).body as ObjectRecord;
    expect(etag).toBe(etagOf(Buffer.alloc(100, 1)));
    expect(await contentOf(id)).toEqual(Buffer.alloc(100, 1));
  });

  it('are a hundred at most in a project', async () => {
    for (let round = 0; round < 10; round += 1)
      await Promise.all(Array.from({ length: 9 }, (_, at) => objects.begun({ key: `k${round}-${at}`, size: 1 })));
    const last = await Promise.all(Array.from({ length: 20 }, (_, at) => objects.begin({ key: `l${at}`, size: 1 })));
    expect(last.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(last.find(({ status }) => status !== 201)).toMatchObject({
      status: 409,
      body: { detail: 'Project has too many open uploads' },
    });
    expect((await objects.usage()).storage).toMatchObject({ bytes_reserved: 100 });
  });

  it('are given up after a day, with all that they have set aside', async () => {
    const upload = await objects.begun({ key: 'a', size: 100 });
    await objects.part(upload, 1, Buffer.alloc(100)).expect(200);
    await app.rows(`UPDATE object_uploads SET expires_at = now() WHERE id = $1`, [upload.id]);
    expect((await objects.part(upload, 1, Buffer.alloc(100)).expect(404)).body).toEqual({ detail: 'Upload not found' });
    await objects.complete(upload).expect(404);
    await maintain();
    expect((await objects.usage()).storage).toMatchObject({ bytes_reserved: 0 });
    expect(await blobs()).toEqual([{ id: expect.any(String), state: 'doomed' }]);
    await app.rows(`UPDATE stored_blobs SET due_at = now() WHERE project_id = $1`, [owner.projectId]);
    await maintain();
    expect(await blobs()).toEqual([]);
  });

  it('answer parts with their ETag, and take it in quotes at completion', async () => {
    const upload = await objects.begun({ key: 'quoted', size: 3 });
    const address = new URL(upload.parts[0]?.url ?? '');
    const { headers, body } = await app
      .request()
      .put(`${address.pathname}${address.search}`)
      .send(Buffer.from('abc'))
      .expect(200);
    expect(headers.etag).toBe(`"${sha256('abc')}"`);
    expect(body).toMatchObject({ etag: sha256('abc') });
    const complete = (etag: string) =>
      app
        .request()
        .post(`/v1/core/uploads/${upload.id}/complete`)
        .set('Authorization', owner.bearer)
        .send({ parts: [{ part_number: 1, etag }] });
    for (const etag of ['"', '""', `"${sha256('abd')}"`, `${sha256('abc')}"`]) await complete(etag).expect(409);
    await complete(headers.etag ?? '').expect(200);
  });

  it('refuse parts once the project is archived, and take them again when it is restored', async () => {
    const upload = await objects.begun({ key: 'archived', size: 3 });
    const address = new URL(upload.parts[0]?.url ?? '');
    const part = () => app.request().put(`${address.pathname}${address.search}`).send(Buffer.from('abc'));
    const act = (name: string) =>
      app.request().post(`/v1/projects/${owner.projectId}/${name}`).set('Authorization', owner.bearer).expect(200);
    await act('archive');
    await part().expect(403, { detail: 'Project is archived' });
    await act('restore');
    await part().expect(200);
    await app.rows(`UPDATE organizations SET billing_status = 'canceled' WHERE id = $1`, [owner.organizationId]);
    await part().expect(403, { detail: 'Organization billing is not active.' });
  });

  it('and objects of a deleted project are forgotten with it', async () => {
    await objects.stored('one');
    await objects.stored('two');
    await objects.begun({ key: 'three', size: 100 });
    await app.request().post(`/v1/projects/${owner.projectId}/archive`).set('Authorization', owner.bearer).expect(200);
    await app.request().delete(`/v1/projects/${owner.projectId}`).set('Authorization', owner.bearer).expect(204);
    const totals = (): Promise<object[]> =>
      app.rows('SELECT stored, reserved, objects FROM storage_totals WHERE organization_id = $1', [
        owner.organizationId,
      ]);
    // Nothing counts from the answer on, though the bytes go later.
    expect(await totals()).toEqual([{ stored: '0', reserved: '0', objects: '0' }]);
    await app.rows(
      `UPDATE projects SET deleted_at = now() - interval '2 minutes', archived_at = now() - interval '2 minutes' WHERE id = $1`,
      [owner.projectId],
    );
    await maintain();
    await maintain();
    expect(await app.rows('SELECT 1 FROM projects WHERE id = $1', [owner.projectId])).toEqual([]);
    expect(await totals()).toEqual([{ stored: '0', reserved: '0', objects: '0' }]);
    await app.rows(`UPDATE stored_blobs SET due_at = now() WHERE project_id = $1`, [owner.projectId]);
    await maintain();
    expect(await blobs()).toEqual([]);
  });

  it('and objects are what a model says, whatever is done with them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyAct, { minLength: 15, maxLength: 30 }), async (acts) => {
        const one = await ownerWithProject(app);
        await app.rows(`UPDATE organizations SET plan = 'pro' WHERE id = $1`, [one.organizationId]);
        await new StorageModel(app, one, maintain).follow(acts);
      }),
      { numRuns: propertyRuns(8, 4) },
    );
  });

  it('and objects that come too slowly are let go, and leave nothing', async () => {
    jest.replaceProperty(SLOW_SENDER_LIMITS, 'idleMs', 150);
    jest.replaceProperty(SLOW_SENDER_LIMITS, 'bytesPerSecond', 1_000_000);
    const upload = await objects.begun({ key: 'part', size: 1_000 });
    const before = (await objects.usage()).storage;
    const at = `${app.url}/v1/core/objects?project_id=${owner.projectId}&key=`;
    const headers = { Authorization: owner.bearer };
    const form = { ...headers, 'Content-Type': 'multipart/form-data; boundary=x' };
    const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nhalf';
    const senders: [HeldRequest, Buffer][] = [
      [new HeldRequest(`${at}known`, { headers: { ...headers, 'Content-Length': '1000' } }), Buffer.alloc(10)],
      [new HeldRequest(`${at}chunked`, { headers }), Buffer.alloc(10)],
      [new HeldRequest(`${at}form`, { headers: form }), Buffer.from(file)],
      [new HeldRequest(`${at}fields`, { headers: form }), Buffer.from(file.slice(0, 30))],
      [new HeldRequest(upload.parts[0]?.url ?? '', { method: 'PUT' }), Buffer.alloc(10)],
    ];
    const dripping = new HeldRequest(`${at}drip`, { headers });
    const drip = setInterval(() => void dripping.write(Buffer.from('.')).catch(() => undefined), 10);
    for (const [request, bytes] of senders) await request.write(bytes);
    const answers = await Promise.all([...senders.map(([request]) => request), dripping].map(({ answer }) => answer));
    clearInterval(drip);
    for (const request of [...senders.map(([sender]) => sender), dripping]) request.destroy();
    expect(answers.map(({ status, body }) => [status, body.toString()])).toEqual(
      answers.map(() => [408, '{"detail":"Request Timeout"}']),
    );
    jest.restoreAllMocks();
    expect((await objects.usage()).storage).toEqual(before);
    await objects.part(upload, 1, Buffer.alloc(1_000)).expect(200);
    await objects.complete(upload).expect(200);
    await maintain();
    const left = await app.rows<{ id: string }>(`SELECT id FROM stored_blobs WHERE project_id = $1`, [owner.projectId]);
    expect(left).toHaveLength(1);
  });

  it.each<[string, unknown, number, string]>([
    [
      'a store that fails',
      new StoreUnavailable(new Error('ENOSPC of a marked path')),
      503,
      'Object storage is unavailable',
    ],
    ['a fault of ours', new Error('a marked fault'), 500, 'Internal Server Error'],
  ])('and objects count nothing behind %s', async (_, fault, status, detail) => {
    const store = app.nest.get(ObjectStore);
    const old = await objects.stored('old', 'old content', { content_type: 'application/octet-stream' });
    const upload = await objects.begun({ key: 'part', size: 100 });
    const before = (await objects.usage()).storage;
    const middle = async (content: AsyncIterable<Uint8Array>): Promise<never> => {
      for await (const piece of content) if (piece.length > 0) break;
      throw fault;
    };
    jest.spyOn(store, 'put').mockImplementation((_id, content) => middle(content));
    jest.spyOn(store, 'beginParts').mockRejectedValue(fault);
    jest.spyOn(store, 'putPart').mockImplementation((_id, _token, _part, content) => middle(content));
    jest.spyOn(store, 'open').mockRejectedValue(fault);
    const link = await objects.link(old.id);
    const answers = [
      await objects.put('new', 'content'),
      await objects.put('old', 'content', { overwrite: 'true' }),
      await objects.begin({ key: 'another', size: 100 }),
      await objects.part(upload, 1, Buffer.alloc(100)),
      await app.request().get(link),
    ];
    expect(answers.map(({ status: got, body }) => [got, body as object])).toEqual(
      answers.map(() => [status, { detail }]),
    );
    expect(answers.every(({ text }) => !text.includes('marked'))).toBe(true);
    jest.restoreAllMocks();
    await objects.part(upload, 1, Buffer.alloc(100)).expect(200);
    jest.spyOn(store, 'completeParts').mockRejectedValue(fault);
    expect((await objects.complete(upload).expect(status)).body).toEqual({ detail });
    jest.restoreAllMocks();
    expect((await objects.usage()).storage).toEqual(before);
    expect((await objects.usage()).bandwidth.bytes_used).toBe(0);
    expect(await contentOf(old.id)).toEqual(Buffer.from('old content'));
    await objects.complete(upload).expect(200);
    await maintain();
    expect(await app.rows(`SELECT 1 FROM stored_blobs WHERE project_id = $1`, [owner.projectId])).toHaveLength(2);
  });

  function chunked(upload: UploadRecord, body: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(upload.parts[0]?.url ?? '', { method: 'PUT' });
      sent.on('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject);
      sent.write(body.subarray(0, 10));
      sent.end(body.subarray(10));
    });
  }

  /** Begins to send the first part, and goes away. */
  function broken(upload: UploadRecord, body: Buffer): Promise<void> {
    return new Promise((resolve) => {
      const headers = { 'Content-Length': upload.parts[0]?.size ?? 0 };
      const sent = httpRequest(upload.parts[0]?.url ?? '', { method: 'PUT', headers });
      sent.on('error', () => resolve());
      sent.write(body, () => setTimeout(() => sent.destroy(), 50));
    });
  }
});
