import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { activityOf } from '../../support/activity.js';
import { eventually } from '../../support/eventually.js';
import { partUrl, ProjectObjects } from '../../support/objects-api.js';
import { HeldRequest, type ObjectRecord, pathOf, sha256, type UploadRecord } from '../../support/objects.js';
import { api, job, type Tenant, tenant } from '../../support/service.js';
import { rowsOfProject } from '../../support/sql-builders/entitlement.js';
import {
  blobOfUpload,
  blobs,
  expireUpload,
  leaveDeadCompletion,
  leavePartOfDeadWriter,
  makeBlobsDue,
  setBillingStatus,
  storageTotals,
  writingParts,
} from '../../support/sql-builders/storage.js';
import { endDeletionGrace, setPlan } from '../../support/sql-builders/tenancy.js';
import { overwriteStagedParts, stagedBytes } from '../../support/staged-parts.js';

const MIB = 1024 * 1024;
const PART = 5 * MIB;

const bytes = (number: number, size = PART): Buffer => Buffer.alloc(size, number);
const etagOf = (...parts: Buffer[]): string =>
  `${sha256(Buffer.concat(parts.map((part) => createHash('sha256').update(part).digest())))}-${parts.length}`;

/** Sends the first part in chunks, without its length. @returns the status */
function chunked(upload: UploadRecord, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(partUrl(upload), { method: 'PUT' });
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.write(body.subarray(0, 10));
    sent.end(body.subarray(10));
  });
}

describe('an upload in parts', () => {
  let acme: Tenant;
  let objects: ProjectObjects;

  beforeEach(async () => {
    acme = await tenant();
    // In the shared service this plan stores 100 MB, and 64 MB in one file.
    await setPlan(acme.organizationId, 'scale');
    objects = new ProjectObjects(acme.projectId, acme.owner);
  });

  const contentOf = async (id: string) => (await objects.content(id)).body as Buffer;
  const actOnProject = (name: 'archive' | 'restore') =>
    api.as(acme.owner).post(`/v1/projects/${acme.projectId}/${name}`).expect(200);
  /** Runs maintenance until a condition holds. A round that another test runs may do the work as well. */
  const maintainUntil = <T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> =>
    eventually(async () => {
      await job('maintenance');
      return ask();
    }, holds);
  const untilWriting = (upload: UploadRecord, count: number) =>
    eventually(
      () => writingParts(upload.id),
      (found) => found === count,
    );
  /** Begins to send the first part, and breaks off while the service writes it. */
  const breakOff = async (upload: UploadRecord, body: Buffer): Promise<void> => {
    await untilWriting(upload, 0);
    const headers = { 'Content-Length': String(upload.parts[0]?.size) };
    const sent = new HeldRequest(partUrl(upload), { method: 'PUT', headers });
    await sent.write(body);
    await untilWriting(upload, 1);
    sent.destroy();
  };
  const blobsRemoved = () =>
    maintainUntil(
      () => blobs(acme.projectId),
      ({ length }) => length === 0,
    );

  it('becomes an object of all its parts', async () => {
    const size = 2 * PART + 7;
    const { body } = await objects
      .begin({ key: 'a/b.bin', size, part_size: PART, content_type: 'image/png', metadata: { a: 'b' } })
      .expect(201);
    const upload = body as UploadRecord;
    expect(body).toEqual({
      id: expect.any(String),
      project_id: acme.projectId,
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
    expect(sha256(await contentOf(completed.id))).toBe(sha256(Buffer.concat([bytes(1), bytes(2), third])));
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: size, bytes_reserved: 0, objects: 1 });
    expect((await objects.complete(upload).expect(200)).body).toEqual(completed);
    expect((await objects.part(upload, 1, bytes(1)).expect(409)).body).toEqual({
      detail: 'Upload is already completed',
    });
    expect((await objects.abort(upload).expect(409)).body).toEqual({ detail: 'Upload is already completed' });
    await objects.remove(completed.id).expect(204);
    expect((await objects.complete(upload).expect(404)).body).toEqual({ detail: 'Object not found' });
  });

  it.each<[number, object]>([
    [422, { size: 0 }],
    [422, { size: -1 }],
    [422, { size: 1.5 }],
    [422, { size: 1, part_size: PART - 1 }],
    [422, { size: 1, part_size: 5 * 1024 ** 3 + 1 }],
    [422, { size: 1, key: '/a' }],
    [422, { size: 1, content_type: 'x' }],
    [422, { size: 1, metadata: { a: 1 } }],
    [413, { size: 64 * MIB + 1 }],
  ])('is refused with %d when it begins with %j', async (status, body) => {
    await objects.begin({ key: 'a', ...body }).expect(status);
    expect((await objects.usage()).storage).toMatchObject({ bytes_reserved: 0 });
  });

  it('reserves its whole size, and is refused when the quota has less', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) => objects.begin({ key: `big-${at}`, size: 40 * MIB })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403, 403]);
    const [open] = answers.filter(({ status }) => status === 201);
    await objects.abort(open?.body as UploadRecord).expect(204);
    expect((await objects.abort(open?.body as UploadRecord).expect(404)).body).toEqual({ detail: 'Upload not found' });
    await objects.begin({ key: 'again', size: 40 * MIB }).expect(201);
  });

  it('accepts only parts of the announced length, without encoding and with the right digest', async () => {
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

  it('keeps a part until the same part has arrived whole again', async () => {
    const upload = await objects.begun({ key: 'a', size: 100 });
    await objects.part(upload, 1, Buffer.alloc(100, 1)).expect(200);
    await breakOff(upload, Buffer.alloc(50, 2));
    await objects.part(upload, 1, Buffer.alloc(99, 3)).expect(422);
    await objects.part(upload, 1, Buffer.alloc(100, 4)).expect(200);
    await breakOff(upload, Buffer.alloc(50, 5));
    const completed = (await objects.complete(upload).expect(200)).body as ObjectRecord;
    expect((await contentOf(completed.id)).equals(Buffer.alloc(100, 4))).toBe(true);
  });

  it('has one whole part of many that are sent at once', async () => {
    const upload = await objects.begun({ key: 'a', size: PART });
    const sent = Array.from({ length: 6 }, (_, at) => Buffer.alloc(PART, at + 1));
    const answers = await Promise.all(sent.map((part) => objects.part(upload, 1, part)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const completed = (await objects.complete(upload).expect(200)).body as ObjectRecord;
    const stored = await contentOf(completed.id);
    const whole = sent.filter((part) => part.equals(stored));
    expect(whole).toHaveLength(1);
    expect(completed.etag).toBe(etagOf(...whole));
  });

  it('is completed once by many requests at once', async () => {
    const upload = await objects.begun({ key: 'a', size: 100 });
    await objects.part(upload, 1, Buffer.alloc(100)).expect(200);
    const answers = await Promise.all(Array.from({ length: 20 }, () => objects.complete(upload)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map(({ body }) => (body as ObjectRecord).id)).size).toBe(1);
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: 100, bytes_reserved: 0, objects: 1 });
    expect((await activityOf(acme)).filter(({ action }) => action === 'object.created')).toHaveLength(1);
  });

  it('does not take a key that another object has or has taken meanwhile', async () => {
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

  it('replaces the content of its key when it overwrites', async () => {
    const old = await objects.stored('a', 'old content');
    const upload = await objects.begun({ key: 'a', size: 100, overwrite: true });
    await objects.part(upload, 1, Buffer.alloc(100)).expect(200);
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: 11, bytes_reserved: 100 });
    expect((await objects.complete(upload).expect(200)).body).toMatchObject({ id: old.id, version: 2, size: 100 });
    expect((await objects.usage()).storage).toMatchObject({ bytes_used: 100, bytes_reserved: 0, objects: 1 });
    await objects.stored('a', 'newer', { overwrite: 'true' });
    expect((await objects.complete(upload).expect(200)).body).toMatchObject({ id: old.id, version: 3, size: 5 });
  });

  it('takes at most twice its size in the store, however often a part is sent', async () => {
    const upload = await objects.begun({ key: 'a', size: 1000 });
    for (let round = 1; round <= 12; round += 1) await objects.part(upload, 1, Buffer.alloc(1000, round)).expect(200);
    const size = await stagedBytes(await blobOfUpload(upload.id));
    expect(size).toBeGreaterThanOrEqual(1000);
    expect(size).toBeLessThanOrEqual(2000);
    const { id, etag } = (await objects.complete(upload).expect(200)).body as ObjectRecord;
    expect(etag).toBe(etagOf(Buffer.alloc(1000, 12)));
    expect(await contentOf(id)).toEqual(Buffer.alloc(1000, 12));
  });

  it('does not mix with what a writer still writes that only seemed to be dead', async () => {
    const upload = await objects.begun({ key: 'a', size: 1000 });
    await leavePartOfDeadWriter(upload.id);
    await objects.part(upload, 1, Buffer.alloc(1000, 1)).expect(200);
    await overwriteStagedParts(await blobOfUpload(upload.id), Buffer.alloc(1000, 2));
    const { id, etag } = (await objects.complete(upload).expect(200)).body as ObjectRecord;
    expect(etag).toBe(etagOf(Buffer.alloc(1000, 1)));
    expect(await contentOf(id)).toEqual(Buffer.alloc(1000, 1));
  });

  it('takes no more parts once a completion has begun, even when its process died', async () => {
    const upload = await objects.begun({ key: 'a', size: 100 });
    await objects.part(upload, 1, Buffer.alloc(100, 1)).expect(200);
    await leaveDeadCompletion(upload.id);
    await objects.part(upload, 1, Buffer.alloc(100, 2)).expect(503);
    const { id, etag } = (await objects.complete(upload).expect(200)).body as ObjectRecord;
    expect(etag).toBe(etagOf(Buffer.alloc(100, 1)));
    expect(await contentOf(id)).toEqual(Buffer.alloc(100, 1));
  });

  it('is refused when its project has a hundred open uploads', async () => {
    for (let round = 0; round < 10; round += 1)
      await Promise.all(Array.from({ length: 9 }, (_, at) => objects.begin({ key: `k${round}-${at}`, size: 1 })));
    const last = await Promise.all(Array.from({ length: 20 }, (_, at) => objects.begin({ key: `l${at}`, size: 1 })));
    expect(last.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(last.find(({ status }) => status !== 201)).toMatchObject({
      status: 409,
      body: { detail: 'Project has too many open uploads' },
    });
    expect((await objects.usage()).storage).toMatchObject({ bytes_reserved: 100 });
  });

  it('ends when it expires, gives back what it reserved and leaves nothing in the store', async () => {
    const upload = await objects.begun({ key: 'a', size: 100 });
    await objects.part(upload, 1, Buffer.alloc(100)).expect(200);
    await expireUpload(upload.id);
    expect((await objects.part(upload, 1, Buffer.alloc(100)).expect(404)).body).toEqual({ detail: 'Upload not found' });
    await objects.complete(upload).expect(404);
    const ended = await maintainUntil(
      () => blobs(acme.projectId),
      ([blob]) => blob?.state !== 'writing',
    );
    expect(ended).toEqual([{ id: expect.any(String), state: 'doomed' }]);
    expect((await objects.usage()).storage).toMatchObject({ bytes_reserved: 0 });
    await makeBlobsDue(acme.projectId);
    expect(await blobsRemoved()).toEqual([]);
  });

  it('returns the ETag of each part, and takes it in quotes at completion', async () => {
    const upload = await objects.begun({ key: 'quoted', size: 3 });
    const { headers, body } = await api.put(pathOf(partUrl(upload)), Buffer.from('abc')).expect(200);
    const { etag } = headers as Record<string, string>;
    expect(etag).toBe(`"${sha256('abc')}"`);
    expect(body).toMatchObject({ etag: sha256('abc') });
    const complete = (given: string) => objects.complete(upload, { parts: [{ part_number: 1, etag: given }] });
    for (const wrong of ['"', '""', `"${sha256('abd')}"`, `${sha256('abc')}"`]) await complete(wrong).expect(409);
    await complete(etag ?? '').expect(200);
  });

  it('takes no parts while its project is archived and once billing stops', async () => {
    const upload = await objects.begun({ key: 'archived', size: 3 });
    const part = () => api.put(pathOf(partUrl(upload)), Buffer.from('abc'));
    await actOnProject('archive');
    await part().expect(403, { detail: 'Project is archived' });
    await actOnProject('restore');
    await part().expect(200);
    await setBillingStatus(acme.organizationId, 'canceled');
    await part().expect(403, { detail: 'Organization billing is not active.' });
  });

  it('is removed with the objects of its project when the project is deleted', async () => {
    await objects.stored('one');
    await objects.stored('two');
    await objects.begun({ key: 'three', size: 100 });
    await actOnProject('archive');
    await api.as(acme.owner).delete(`/v1/projects/${acme.projectId}`).expect(204);
    // Nothing counts from the answer on. The contents are removed later.
    expect(await storageTotals(acme.organizationId)).toEqual([{ stored: '0', reserved: '0', objects: '0' }]);
    await endDeletionGrace(acme.projectId);
    await maintainUntil(
      () => rowsOfProject('projects', acme.projectId),
      (rows) => rows === 0,
    );
    expect(await storageTotals(acme.organizationId)).toEqual([{ stored: '0', reserved: '0', objects: '0' }]);
    await makeBlobsDue(acme.projectId);
    expect(await blobsRemoved()).toEqual([]);
  });
});
