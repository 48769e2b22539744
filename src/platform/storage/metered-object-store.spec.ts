import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../ids/index.js';
import { Logger, Metrics } from '../telemetry/index.js';
import { FilesObjectStore } from './files-object-store.js';
import { MeteredObjectStore } from './metered-object-store.js';
import { BlobMissing, StoreUnavailable } from './object-store.js';

const calm = (): AbortSignal => new AbortController().signal;

async function* content(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe('the meter of an object store', () => {
  let folder: string;
  let store: MeteredObjectStore;
  let metrics: Metrics;
  let lines: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oes-metered-'));
    metrics = new Metrics();
    lines = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const logger = new Logger({ level: 'debug', pretty: false, destination });
    store = new MeteredObjectStore(new FilesObjectStore(join(folder, 'objects')), metrics, logger);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const told = async (): Promise<string[]> =>
    (await metrics.render()).split('\n').filter((line) => line.startsWith('oes_object_store_'));

  it('counts operations, and the bytes in and out', async () => {
    const [blob, upload] = [newId(), newId()];
    await store.put(blob, content('hello', ' ', 'world'), 11, calm());
    for await (const chunk of await store.open(blob, { first: 0, last: 4 }, calm())) expect(chunk).toHaveLength(5);
    const token = await store.beginParts(upload, 3, calm());
    const place = { number: 1, offset: 0, size: 3, slot: 0 };
    const part = { ...place, token: await store.putPart(upload, token, place, content('abc'), calm()) };
    await store.completeParts(upload, token, [part], { size: 3, disturbed: false }, calm());
    for await (const ids of store.blobs(calm())) expect([...ids].sort()).toEqual([blob, upload].sort());
    await store.remove(upload, token);
    const done = ['begin', 'complete', 'list', 'open', 'part', 'put', 'remove'];
    expect((await told()).sort()).toEqual([
      'oes_object_store_bytes_total{driver="files",direction="in"} 14',
      'oes_object_store_bytes_total{driver="files",direction="out"} 5',
      ...done.map((name) => `oes_object_store_operations_total{driver="files",operation="${name}",outcome="done"} 1`),
      `oes_object_store_up{driver="files",store="${await store.identity()}"} 1`,
    ]);
    expect(lines).toEqual([]);
  });

  it('distinguishes whose fault an error was, and logs the error of the store', async () => {
    await expect(store.open(newId(), null, calm())).rejects.toThrow(BlobMissing);
    await expect(store.put(newId(), content('x'), 2, calm())).rejects.toThrow(RangeError);
    await rm(folder, { recursive: true });
    await writeFile(folder, 'in the way');
    for (const attempt of [1, 2]) {
      await expect(store.put(newId(), content(`${attempt}`), 1, calm())).rejects.toThrow(StoreUnavailable);
    }
    const figures = await told();
    expect(figures).toContain('oes_object_store_operations_total{driver="files",operation="open",outcome="missing"} 1');
    expect(figures).toContain(
      'oes_object_store_operations_total{driver="files",operation="put",outcome="broken_off"} 1',
    );
    expect(figures).toContain(
      'oes_object_store_operations_total{driver="files",operation="put",outcome="unavailable"} 2',
    );
    expect(figures).toContain('oes_object_store_up{driver="files",store=""} 0');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'error',
      message: 'the object store is unavailable',
      driver: 'files',
      operation: 'put',
      err: { cause: { code: 'ENOTDIR' } },
    });
  });

  it('reports a store that does not answer as down', async () => {
    class HangingStore extends FilesObjectStore {
      override health(): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    metrics = new Metrics();
    const logger = new Logger({ level: 'debug', pretty: false, destination: { write: () => undefined } });
    store = new MeteredObjectStore(new HangingStore(join(folder, 'objects')), metrics, logger);
    expect(await told()).toEqual(['oes_object_store_up{driver="files",store=""} 0']);
  });

  it('counts a stream that was closed before its end', async () => {
    const blob = newId();
    await store.put(blob, content('hello'), 5, calm());
    const stream = await store.open(blob, null, calm());
    stream.destroy();
    await new Promise((resolve) => stream.once('close', resolve));
    expect(await told()).toContain(
      'oes_object_store_operations_total{driver="files",operation="open",outcome="broken_off"} 1',
    );
  });
});
