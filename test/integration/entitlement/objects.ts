import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { SLOW_SENDER_LIMITS } from '../../../src/platform/http/streamed-body.js';
import { ObjectStore, StoreUnavailable } from '../../../src/platform/storage/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { HeldRequest, Objects, storedFiles } from '../../support/objects.js';
import { propertyRuns } from '../../support/property-runs.js';
import { anyAct, StorageModel } from '../../support/storage-model.js';

const TOKEN = 'maintenance-token-of-the-object-suite';

describe('the content of an object or an upload', () => {
  let app: TestApp;
  let owner: Owner;
  let objects: Objects;

  beforeAll(async () => {
    app = await createApiApp({
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
  const contentOf = async (id: string): Promise<Buffer> =>
    (
      await app
        .request()
        .get(await objects.link(id))
        .buffer(true)
        .expect(200)
    ).body as Buffer;

  it('counts nothing and leaves nothing behind when its lease was lost', async () => {
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
    // Other contents and open uploads may still be in the store, each with its row. An upload in parts is a folder.
    const known = new Set((await app.rows<{ id: string }>('SELECT id FROM stored_blobs')).map(({ id }) => id));
    const paths = [...(await storedFiles(app.dataDir)).keys()];
    const isKnown = (path: string): boolean => path.split('/').some((part) => known.has(part.replace(/\.draft$/, '')));
    expect(paths.filter((path) => !isKnown(path))).toEqual([]);
  });

  it('is what a model expects after any sequence of requests', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyAct, { minLength: 15, maxLength: 30 }), async (acts) => {
        const one = await ownerWithProject(app);
        await app.rows(`UPDATE organizations SET plan = 'pro' WHERE id = $1`, [one.organizationId]);
        await new StorageModel(app, one, maintain).follow(acts);
      }),
      { numRuns: propertyRuns(8, 4) },
    );
  });

  it('is refused with 408 and leaves nothing behind when it comes too slowly', async () => {
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
      'the store fails',
      new StoreUnavailable(new Error('ENOSPC of a marked path')),
      503,
      'Object storage is unavailable',
    ],
    ['the service has a fault', new Error('a marked fault'), 500, 'Internal Server Error'],
  ])('counts nothing when %s', async (_, fault, status, detail) => {
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
});
