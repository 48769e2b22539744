import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BlobMissing, type ObjectStore, PartsLost, StoreUnavailable } from '../../../src/platform/storage/index.js';
import { S3ObjectStore } from '../../../src/platform/storage/s3-object-store.js';
import { blobIds, bytesOf, calm, chunked, contentOf } from '../../support/blobs.js';

const ID = '0199f3a1-0000-7000-8000-00000000abcd';
const KEYS = { accessKeyId: 'AKIAKEYOFTHETEST', secretAccessKey: 'the/secret+of/the+test' };
/** Longer than a busy machine holds anything up. */
const PATIENT = { idleMs: 20_000, callMs: 20_000, completeMs: 20_000, healthMs: 20_000 };
const IMPATIENT = { idleMs: 100, callMs: 100, completeMs: 100, healthMs: 100 };
const PLACE = { number: 1, offset: 0, size: 10, slot: 0 };
const PARTS = [{ ...PLACE, token: '"etag"' }];

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const fault = (status: number, code: string, message = 'no'): Answer => {
  return (_, response) =>
    void response
      .writeHead(status, { 'Content-Type': 'application/xml' })
      .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`);
};
const xml = (text: string): Answer => {
  return (_, response) =>
    void response.writeHead(200, { 'Content-Type': 'application/xml' }).end(`<?xml version="1.0"?>${text}`);
};
const hang: Answer = () => undefined;
const hangUp: Answer = (request) => void request.socket.destroy();

/** A service that answers in order, then with the last of its answers; what the tests call it for stands in `asked`. */
describe('an object store in S3', () => {
  let folder: string;
  let server: Server;
  let store: ObjectStore;
  let open: (limits: typeof PATIENT) => Promise<ObjectStore>;
  let answers: Answer[];
  let asked: string[];

  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      const query = new URL(request.url ?? '', 'http://s3').searchParams;
      const names = ['uploads', 'uploadId', 'list-type'].filter((name) => query.has(name));
      asked.push([request.method, ...names].join(' '));
      request.on('error', () => undefined);
      const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
      if (answer !== hang && answer !== takeNothing) request.resume();
      void answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    folder = await mkdtemp(join(tmpdir(), 'oes-spool-'));
    const settings = { endpoint, region: 'us-east-1', bucket: 'objects', ...KEYS, forcePathStyle: true };
    open = (limits) => S3ObjectStore.open(settings, folder, limits);
    store = await open(PATIENT);
  });
  afterEach(async () => {
    await store.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });

  const takeNothing: Answer = () => undefined;
  const calls: Record<string, () => Promise<unknown>> = {
    put: () => store.put(ID, chunked(bytesOf(10)), 10, calm()),
    'put of unknown size': () => store.put(ID, chunked(bytesOf(10)), null, calm()),
    open: () => store.open(ID, null, calm()),
    remove: () => store.remove(ID, null),
    'remove of an upload': () => store.remove(ID, 'upload'),
    begin: () => store.beginParts(ID, 10, calm()),
    part: () => store.putPart(ID, 'upload', PLACE, chunked(bytesOf(10)), calm()),
    complete: () => store.completeParts(ID, 'upload', PARTS, { size: 10, disturbed: false }, calm()),
    health: () => store.health(),
    blobs: () => blobIds(store),
  };
  const complete = (): Promise<unknown> => calls.complete!();

  it.each(Object.keys(calls))('is unavailable when the service returns 500: %s', async (name) => {
    answers = [fault(500, 'InternalError')];
    await expect(calls[name]!()).rejects.toThrow(StoreUnavailable);
    // A stream is gone once it was sent, and an upload of a lost answer is known to nobody.
    const isMadeOnce = ['put', 'put of unknown size', 'begin', 'part', 'health'].includes(name);
    const [first] = asked;
    const tries = asked.filter((one) => one === first).length;
    expect(tries).toBe(isMadeOnce ? 1 : 3);
  });

  it.each(Object.keys(calls))('is unavailable when the service does not answer: %s', async (name) => {
    answers = [hang];
    store = await open(IMPATIENT);
    await expect(calls[name]!()).rejects.toThrow(StoreUnavailable);
  });

  it.each(Object.keys(calls))('is unavailable when the service closes the connection: %s', async (name) => {
    answers = [hangUp];
    await expect(calls[name]!()).rejects.toThrow(StoreUnavailable);
  });

  it.each(Object.keys(calls))('does not quote the keys that the service names in its refusal: %s', async (name) => {
    const { accessKeyId, secretAccessKey } = KEYS;
    const said = `${accessKeyId} ${secretAccessKey}`;
    answers = [fault(403, 'SignatureDoesNotMatch', said)];
    const error = await calls[name]!().catch((thrown: unknown) => thrown as Error);
    expect(error).toBeInstanceOf(StoreUnavailable);
    const { cause, message, stack } = error as Error;
    const told = JSON.stringify([message, stack, cause, (cause as Error).message, (cause as Error).stack]);
    expect(told).not.toContain(accessKeyId);
    expect(told).not.toContain(secretAccessKey);
    // A HEAD is answered without a body, so without a code.
    if (name !== 'health') expect((cause as Error).message).toMatch(/^\w+: SignatureDoesNotMatch \(HTTP 403\)$/);
  });

  it('does not quote an error code that contains the keys', async () => {
    answers = [fault(400, `${KEYS.secretAccessKey} ${KEYS.accessKeyId}`)];
    await expect(calls.begin!()).rejects.toMatchObject({
      cause: { message: 'CreateMultipartUpload: Unknown (HTTP 400)' },
    });
  });

  it('is unavailable when the service is down', async () => {
    answers = [hang];
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    try {
      // In Jest the SDK takes an error of Node for a value of another kind, and wraps it in an error without its code.
      const message: unknown = expect.stringMatching(/^PutObject: (ECONNREFUSED|Error)$/);
      await expect(calls.put!()).rejects.toMatchObject({ cause: { message } });
      await expect(calls.open!()).rejects.toThrow(StoreUnavailable);
    } finally {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    }
  });

  it('is unavailable without its bucket, and reports a missing blob as missing', async () => {
    answers = [fault(404, 'NoSuchBucket')];
    await expect(calls.open!()).rejects.toThrow(StoreUnavailable);
    answers = [fault(404, 'NoSuchKey')];
    await expect(calls.open!()).rejects.toThrow(BlobMissing);
  });

  it('gives up when the service reads nothing of a body', async () => {
    answers = [takeNothing];
    store = await open(IMPATIENT);
    const attempt = store.put(ID, chunked(bytesOf(30_000_000)), 30_000_000, calm());
    await expect(attempt).rejects.toMatchObject({ cause: { message: 'The store took nothing for 100 ms' } });
  });

  it('does not time out while a client sends slowly', async () => {
    answers = [
      async (request, response) => {
        await once(request, 'end');
        response.writeHead(200, { ETag: '"etag"' }).end();
      },
    ];
    const idleMs = 1_000;
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield bytesOf(5);
      await delay(2 * idleMs);
      yield bytesOf(5);
    }
    const patient = await open({ ...PATIENT, idleMs });
    await Promise.all([patient.put(ID, slow(), 10, calm()), patient.putPart(ID, 'upload', PLACE, slow(), calm())]);
  });

  it('rejects a success that the service reports before it has all bytes, and closes the connection', async () => {
    const closed: Promise<unknown>[] = [];
    answers = [
      (request, response) => {
        closed.push(new Promise((resolve) => request.socket.once('close', resolve)));
        response.writeHead(200, { ETag: '"etag"' }).end();
      },
    ];
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield bytesOf(3);
      yield bytesOf(3);
      await new Promise(() => undefined);
    }
    await expect(store.put(ID, endless(), 10, calm())).rejects.toThrow(StoreUnavailable);
    await Promise.all(closed);
    expect(closed).toHaveLength(1);
  });

  it('removes a blob when the answer to its put is lost', async () => {
    answers = [
      async (request) => {
        await once(request, 'end');
        request.socket.destroy();
      },
      (_, response) => void response.writeHead(204).end(),
    ];
    await expect(calls.put!()).rejects.toThrow(StoreUnavailable);
    expect(asked).toEqual(['PUT', 'DELETE']);
  });

  describe('a read', () => {
    const head = { 'Content-Length': '1000', ETag: '"etag"' };

    it('breaks off when the service sends a part and then nothing', async () => {
      answers = [(_, response) => void response.writeHead(200, head).write(bytesOf(500))];
      const stream = await (await open({ ...PATIENT, idleMs: 100 })).open(ID, null, calm());
      await expect(contentOf(stream)).rejects.toMatchObject({
        name: 'StoreUnavailable',
        cause: { message: 'The store sent nothing for 100 ms' },
      });
    });

    it('breaks off when the service sends a part and closes the connection', async () => {
      answers = [
        (request, response) =>
          void response.writeHead(200, head).write(bytesOf(500), () => setImmediate(() => request.socket.destroy())),
      ];
      await expect(store.open(ID, null, calm()).then(contentOf)).rejects.toThrow(StoreUnavailable);
    });

    it.each([
      ['whole', 200, {}],
      ['from another place', 206, { 'Content-Range': 'bytes 0-9/1000', 'Content-Length': '10' }],
      ['shorter', 206, { 'Content-Range': 'bytes 5-14/1000', 'Content-Length': '9' }],
    ])('rejects an answer to a range request that is %s', async (_, status, more) => {
      answers = [(__, response) => void response.writeHead(status, { ...head, ...more }).write(bytesOf(9))];
      await expect(store.open(ID, { first: 5, last: 14 }, calm())).rejects.toMatchObject({
        cause: { message: 'GetObject: not what was asked for' },
      });
    });
  });

  describe('an upload that the service has forgotten', () => {
    it('has lost its parts', async () => {
      answers = [fault(404, 'NoSuchUpload')];
      await expect(calls.part!()).rejects.toThrow(PartsLost);
    });

    const lengthOf = (length: number): Answer => {
      return (_, response) => void response.writeHead(200, { 'Content-Length': String(length) }).end();
    };
    const missing: Answer = (_, response) => void response.writeHead(404).end();

    it.each([
      ['has made the blob of them', lengthOf(10), 'done'],
      ['has made another blob of them', lengthOf(9), PartsLost],
      ['has no blob either', missing, PartsLost],
      ['cannot tell', fault(500, 'InternalError'), StoreUnavailable],
    ])('is looked up as a blob on completion when the service %s', async (_, head, outcome) => {
      answers = [fault(404, 'NoSuchUpload'), head];
      if (typeof outcome === 'string') await complete();
      else await expect(complete()).rejects.toThrow(outcome);
      expect(asked.slice(0, 2)).toEqual(['POST uploadId', 'HEAD']);
    });

    it('is complete when the service made the blob and only its answer was lost', async () => {
      answers = [hangUp, fault(404, 'NoSuchUpload'), lengthOf(10)];
      await complete();
      expect(asked).toEqual(['POST uploadId', 'POST uploadId', 'HEAD']);
    });

    it('is unavailable when the service reports the error after it answered 200', async () => {
      const late = xml('<Error><Code>InternalError</Code><Message>no</Message></Error>');
      answers = [late, late, late, missing];
      await expect(complete()).rejects.toThrow(StoreUnavailable);
    });

    it('is aborted only once when it is removed', async () => {
      answers = [fault(404, 'NoSuchUpload'), (_, response) => void response.writeHead(204).end()];
      await calls['remove of an upload']!();
      expect(asked).toEqual(['DELETE uploadId', 'DELETE']);
    });
  });

  it('aborts all unknown uploads of a blob page by page when it removes the blob', async () => {
    const page = (uploads: string[], rest: string): Answer =>
      xml(
        `<ListMultipartUploadsResult>${uploads
          .map((id) => `<Upload><Key>${ID}</Key><UploadId>${id}</UploadId></Upload>`)
          .join('')}${rest}</ListMultipartUploadsResult>`,
      );
    const gone: Answer = (_, response) => void response.writeHead(204).end();
    const next = `<IsTruncated>true</IsTruncated><NextKeyMarker>${ID}</NextKeyMarker><NextUploadIdMarker>b</NextUploadIdMarker>`;
    answers = [page(['a', 'b'], next), gone, gone, page(['c'], '<IsTruncated>false</IsTruncated>'), gone, gone];
    await store.remove(ID, null);
    const abort = 'DELETE uploadId';
    expect(asked).toEqual(['GET uploads', abort, abort, 'GET uploads', abort, 'DELETE']);
  });
});
