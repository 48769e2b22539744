import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { S3Settings } from '../../../src/config/index.js';
import { ObjectStore } from '../../../src/platform/storage/index.js';
import { S3_LIMITS } from '../../../src/platform/storage/s3-connection.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { blobIds, bytesOf, PART } from '../../support/blobs.js';
import { type ObjectRecord, Objects, sha256 } from '../../support/objects.js';
import { testS3 } from '../../support/s3.js';
import { anyAct, StorageModel } from '../../support/storage-model.js';

const TOKEN = 'maintenance-token-of-the-s3-suite';
const UNAVAILABLE = { detail: 'Object storage is unavailable' };
const s3 = await testS3();

/** Stands before an S3 service, and passes on what it is asked, answers 500, or nothing at all. */
class Gateway {
  mood: 'well' | 'failing' | 'hanging' = 'well';
  private readonly server = createServer((incoming, answer) => {
    if (this.mood === 'hanging') return;
    if (this.mood === 'failing') {
      incoming.resume();
      answer.writeHead(500, { Connection: 'close' }).end('<Error><Code>InternalError</Code></Error>');
      return;
    }
    const { method, url, rawHeaders } = incoming;
    const asked = httpRequest(
      new URL(url ?? '/', this.settings.endpoint),
      { method, headers: rawHeaders, agent: false },
      (found) => {
        answer.writeHead(found.statusCode ?? 502, found.rawHeaders);
        found.pipe(answer);
      },
    );
    asked.on('error', () => answer.destroy());
    answer.on('close', () => asked.destroy());
    incoming.pipe(asked);
  });

  constructor(private readonly settings: S3Settings) {}

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

if ('absent' in s3) it.skip(`needs an S3 service for the tests of objects: ${s3.absent}`, () => undefined);
else
  describe('An object in S3', () => {
    const gateway = new Gateway(s3);
    let app: TestApp;
    let owner: Owner;
    let objects: Objects;

    beforeAll(async () => {
      app = await createTestApp({
        env: {
          STORAGE_LIMITS: 'free=100MB/-/64MB,pro=2KB/-/1KB',
          INTERNAL_JOB_TOKEN: TOKEN,
          S3_ENDPOINT: await gateway.listen(),
          S3_REGION: s3.region,
          S3_BUCKET: s3.bucket,
          S3_ACCESS_KEY_ID: s3.accessKeyId,
          S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
          S3_FORCE_PATH_STYLE: String(s3.forcePathStyle),
        },
      });
    });
    afterAll(async () => {
      await app.close();
      gateway.close();
    });
    beforeEach(async () => {
      owner = await ownerWithProject(app);
      objects = new Objects(app, owner);
    });
    afterEach(() => {
      jest.restoreAllMocks();
      gateway.mood = 'well';
    });

    const maintain = (): Promise<unknown> =>
      app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200);
    const blobs = (): Promise<{ id: string; state: string; upload_token: string | null }[]> =>
      app.rows('SELECT id, state, upload_token FROM stored_blobs WHERE project_id = $1', [owner.projectId]);
    const read = async (id: string, headers = {}): Promise<Buffer> =>
      Buffer.from(await (await fetch(app.url + (await objects.link(id)), { headers })).arrayBuffer());

    it('is stored in one request, read in parts, replaced and deleted', async () => {
      const content = bytesOf(300_000);
      const stored = await objects.stored('a', content);
      expect(stored).toMatchObject({ size: content.length, sha256: sha256(content) });
      expect((await read(stored.id)).equals(content)).toBe(true);
      const part = await read(stored.id, { Range: 'bytes=100-199999' });
      expect(part.equals(content.subarray(100, 200_000))).toBe(true);

      // Of a form the length is not known before its end.
      const form = await app
        .request()
        .post('/v1/core/objects')
        .query({ project_id: owner.projectId, key: 'a', overwrite: 'true' })
        .set('Authorization', owner.bearer)
        .attach('file', content.subarray(7), 'file')
        .expect(201);
      expect(form.body).toMatchObject({ id: stored.id, version: 2, sha256: sha256(content.subarray(7)) });
      expect((await read(stored.id)).equals(content.subarray(7))).toBe(true);
      await objects.put('digest', content).set('Content-MD5', Buffer.alloc(16).toString('base64')).expect(422);
      await objects.remove(stored.id).expect(204);
      const known = (await blobs()).map(({ id }) => id);
      await app.rows('UPDATE stored_blobs SET due_at = now() WHERE project_id = $1', [owner.projectId]);
      await maintain();
      expect(await blobs()).toEqual([]);
      const kept = await blobIds(app.nest.get(ObjectStore));
      expect(known.filter((id) => kept.has(id))).toEqual([]);
      expect((await objects.usage()).storage).toMatchObject({ bytes_used: 0, bytes_reserved: 0, objects: 0 });
    });

    it('is uploaded in parts, which can be sent again, completed by several requests at once, or aborted', async () => {
      const [one, other, end] = [bytesOf(PART, 1), bytesOf(PART, 2), bytesOf(7, 3)];
      const upload = await objects.begun({ key: 'a', size: PART + 7, part_size: PART });
      await Promise.all([objects.part(upload, 1, one).expect(200), objects.part(upload, 2, end).expect(200)]);
      await objects.part(upload, 1, other).expect(200);
      await objects.part(upload, 1, one.subarray(1)).expect(422);
      const answers = await Promise.all(Array.from({ length: 4 }, () => objects.complete(upload)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const { id } = answers[0]?.body as ObjectRecord;
      expect((await read(id)).equals(Buffer.concat([other, end]))).toBe(true);
      await objects.part(upload, 1, one).expect(409);

      const given = await objects.begun({ key: 'b', size: 100 });
      await objects.part(given, 1, bytesOf(100)).expect(200);
      await objects.abort(given).expect(204);
      await app.rows(`UPDATE stored_blobs SET due_at = now() WHERE state = 'doomed'`);
      await maintain();
      expect((await blobs()).map(({ state }) => state)).toEqual(['live']);
    });

    it('behaves like a model over any sequence of requests', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyAct, { minLength: 12, maxLength: 16 }), async (acts) => {
          const one = await ownerWithProject(app);
          await app.rows(`UPDATE organizations SET plan = 'pro' WHERE id = $1`, [one.organizationId]);
          await new StorageModel(app, one, maintain).follow(acts);
        }),
        { numRuns: 2 },
      );
    });

    it.each(['failing', 'hanging'] as const)('returns 503 and changes no usage while the store is %s', async (mood) => {
      const old = await objects.stored('old', bytesOf(1_000));
      const link = await objects.link(old.id);
      const [upload, whole] = [
        await objects.begun({ key: 'b', size: 100 }),
        await objects.begun({ key: 'c', size: 100 }),
      ];
      await objects.part(whole, 1, bytesOf(100)).expect(200);
      const before = (await objects.usage()).storage;
      // For the store that does not answer alone: a busy machine's may take longer.
      for (const limit of ['callMs', 'idleMs', 'completeMs'] as const) jest.replaceProperty(S3_LIMITS, limit, 300);
      gateway.mood = mood;
      const answers = await Promise.all([
        objects.put('new', bytesOf(1_000)),
        objects.put('old', bytesOf(10), { overwrite: 'true' }),
        objects.begin({ key: 'd', size: 10 }),
        objects.part(upload, 1, bytesOf(100)),
        objects.complete(whole),
        app.request().get(link),
      ]);
      expect(answers.map(({ status, body }) => [status, body as object])).toEqual(
        answers.map(() => [503, UNAVAILABLE]),
      );
      // What cannot be forgotten now is forgotten later.
      await maintain();
      gateway.mood = 'well';
      jest.restoreAllMocks();
      expect((await objects.usage()).storage).toEqual(before);
      expect((await objects.usage()).bandwidth.bytes_used).toBe(0);
      expect((await read(old.id)).equals(bytesOf(1_000))).toBe(true);
      await objects.part(upload, 1, bytesOf(100)).expect(200);
      for (const open of [upload, whole]) await objects.complete(open).expect(200);
      await app.rows(`UPDATE stored_blobs SET due_at = now() WHERE state = 'doomed'`);
      await maintain();
      expect((await blobs()).map(({ state }) => state)).toEqual(['live', 'live', 'live']);
    });

    it('cannot be completed when the store has lost its upload, which can still be aborted', async () => {
      const upload = await objects.begun({ key: 'a', size: 100 });
      await objects.part(upload, 1, bytesOf(100)).expect(200);
      const [blob] = await blobs();
      await app.nest.get(ObjectStore).remove(blob?.id ?? '', blob?.upload_token ?? '');
      expect((await objects.part(upload, 1, bytesOf(100)).expect(503)).body).toEqual(UNAVAILABLE);
      expect((await objects.complete(upload).expect(503)).body).toEqual(UNAVAILABLE);
      expect((await objects.list().expect(200)).body).toMatchObject({ items: [] });
      await objects.abort(upload).expect(204);
      expect((await objects.usage()).storage).toMatchObject({ bytes_used: 0, bytes_reserved: 0 });
    });
  });
