import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../../src/platform/ids/index.js';
import { FilesObjectStore } from '../../../src/platform/storage/files-object-store.js';
import {
  BlobMissing,
  type BlobStream,
  type ByteRange,
  MOST_PARTS,
  type ObjectStore,
  PartsLost,
  SLOTS,
  StoreUnavailable,
  type WrittenPart,
} from '../../../src/platform/storage/index.js';
import { S3ObjectStore } from '../../../src/platform/storage/s3-object-store.js';
import { blobIds, broken, bytesOf, calm, chunked, contentOf, halting, PART, PartsOf } from '../../support/blobs.js';
import { testS3 } from '../../support/s3.js';

const ID = '0199f3a1-0000-7000-8000-00000000abcd';

interface Opened {
  readonly store: ObjectStore;
  close(): Promise<void>;
}

async function inFiles(): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'oes-objects-'));
  const store = new FilesObjectStore(join(folder, 'objects'));
  return { store, close: () => rm(folder, { recursive: true, force: true }) };
}

const s3 = await testS3();

async function inS3(): Promise<Opened> {
  if ('absent' in s3) throw new Error(s3.absent);
  const folder = await mkdtemp(join(tmpdir(), 'oes-spool-'));
  const store = await S3ObjectStore.open(s3, folder);
  const close = async (): Promise<void> => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { store, close };
}

if ('absent' in s3) it.skip(`needs an S3 service for the tests of object stores: ${s3.absent}`, () => undefined);

const DRIVERS: [string, () => Promise<Opened>][] = [['files', inFiles]];
if (!('absent' in s3)) DRIVERS.push(['S3', inS3]);

describe.each(DRIVERS)('a store of objects in %s', (name, open) => {
  let opened: Opened;
  let store: ObjectStore;

  beforeAll(async () => {
    opened = await open();
    ({ store } = opened);
  });
  afterAll(() => opened.close());

  const put = async (bytes: Uint8Array): Promise<string> => {
    const id = newId();
    await store.put(id, chunked(bytes), bytes.length, calm());
    return id;
  };
  const opening = (id: string, range: ByteRange | null = null): Promise<BlobStream> => store.open(id, range, calm());
  const read = async (id: string): Promise<Buffer> => contentOf(await opening(id));
  const expectNothingOf = async (id: string): Promise<void> => {
    await expect(store.open(id, null, calm())).rejects.toThrow(BlobMissing);
    expect((await blobIds(store)).has(id)).toBe(false);
  };

  describe('a blob', () => {
    it.each([
      [0, 1],
      [1, 1],
      [300, 1],
      [65_536, 65_536],
      [300_000, 7_001],
      [3_000_001, 65_536],
    ])('has all its %i bytes after a write in chunks of %i, with or without a known size', async (size, chunk) => {
      const bytes = bytesOf(size);
      for (const told of [size, null]) {
        const id = newId();
        await store.put(id, chunked(bytes, chunk), told, calm());
        expect((await read(id)).equals(bytes)).toBe(true);
      }
    });

    it.each([
      [0, 0],
      [0, 99_999],
      [1, 1],
      [99_999, 99_999],
      [12_345, 67_890],
    ])('is returned from byte %i to byte %i', async (first, last) => {
      const bytes = bytesOf(100_000);
      const part = await contentOf(await opening(await put(bytes), { first, last }));
      expect(part.equals(bytes.subarray(first, last + 1))).toBe(true);
    });

    it('is unavailable when it is shorter than the requested range', async () => {
      const id = await put(bytesOf(100));
      await expect(store.open(id, { first: 10, last: 100 }, calm())).rejects.toThrow(StoreUnavailable);
      await expect(store.open(id, { first: 100, last: 100 }, calm())).rejects.toThrow(StoreUnavailable);
    });

    it('is missing when it was never stored', async () => {
      await expect(store.open(newId(), null, calm())).rejects.toThrow(BlobMissing);
      await expect(store.open(newId(), { first: 0, last: 0 }, calm())).rejects.toThrow(BlobMissing);
    });

    it('is stored together with many others at once', async () => {
      const blobs = Array.from({ length: 12 }, (_, seed) => bytesOf(50_000 + seed, seed));
      const ids = await Promise.all(blobs.map(put));
      const found = await Promise.all(ids.map(read));
      expect(found.map((bytes, index) => bytes.equals(blobs[index]!))).toEqual(blobs.map(() => true));
    });

    it('blocks nothing when its reader stops in the middle', async () => {
      const id = await put(bytesOf(2_000_000));
      const stream = await store.open(id, null, calm());
      for await (const chunk of stream) {
        expect((chunk as Buffer).length).toBeGreaterThan(0);
        break;
      }
      expect(stream.destroyed).toBe(true);
      expect((await read(id)).length).toBe(2_000_000);
    });

    it('is returned whole or breaks off when it is removed during a read', async () => {
      const bytes = bytesOf(6_000_000);
      const id = await put(bytes);
      const stream = await store.open(id, null, calm());
      await store.remove(id, null);
      const chunks: Buffer[] = [];
      const end = await (async () => {
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        return 'whole';
      })().catch((error: unknown) => (error instanceof StoreUnavailable ? 'broken off' : error));
      const received = Buffer.concat(chunks);
      expect(['whole', 'broken off']).toContain(end);
      expect(received.equals(bytes.subarray(0, received.length))).toBe(true);
      if (end === 'whole') expect(received.length).toBe(bytes.length);
    });
  });

  describe('invalid content', () => {
    const fault = new Error('the client has gone');

    it.each([
      ['at once', 0, 200_000, 200_000],
      ['in the middle', 100_000, 200_000, 200_000],
      ['at its end', 200_000, 200_000, 200_000],
      ['at its end, in one chunk', 200_000, 200_000, 1_000_000],
      ['where it is empty', 0, 0, 1],
    ])('leaves nothing behind and throws its own error when it breaks off %s', async (_, brought, size, chunk) => {
      for (const told of [size, null]) {
        const id = newId();
        await expect(store.put(id, broken(bytesOf(brought), fault, chunk), told, calm())).rejects.toBe(fault);
        await expectNothingOf(id);
      }
    });

    it.each([99, 101, 0, 200_000])('leaves nothing behind when it has %i bytes in place of 100', async (size) => {
      const id = newId();
      await expect(store.put(id, chunked(bytesOf(size)), 100, calm())).rejects.toThrow(RangeError);
      await expectNothingOf(id);
    });
  });

  describe('a signal', () => {
    const reason = new Error('given up');

    it('prevents every call when it was aborted before', async () => {
      const signal = AbortSignal.abort(reason);
      const [id, there, upload] = [newId(), await put(bytesOf(10)), await new PartsOf(store, [10]).begin()];
      const part = await upload.put(1, 0, bytesOf(10));
      await expect(store.put(id, chunked(bytesOf(10)), 10, signal)).rejects.toBe(reason);
      await expect(store.put(id, chunked(bytesOf(10)), null, signal)).rejects.toBe(reason);
      await expect(store.open(there, null, signal)).rejects.toBe(reason);
      await expect(store.beginParts(id, 10, signal)).rejects.toBe(reason);
      const { blobId, token } = upload;
      await expect(store.putPart(blobId, token, upload.place(1, 1), chunked(bytesOf(10)), signal)).rejects.toBe(reason);
      const options = { size: 10, disturbed: false };
      await expect(store.completeParts(blobId, token, [part], options, signal)).rejects.toBe(reason);
      await expect(store.blobs(signal)[Symbol.asyncIterator]().next()).rejects.toBe(reason);
      await expectNothingOf(id);
      await expect(store.open(blobId, null, calm())).rejects.toThrow(BlobMissing);
    });

    it('ends a write that waits for content', async () => {
      for (const told of [200_000, null]) {
        const [id, client, { content, halted }] = [newId(), new AbortController(), halting(bytesOf(200_000))];
        const putting = store.put(id, content, told, client.signal);
        await halted;
        client.abort(reason);
        await expect(putting).rejects.toBe(reason);
        await expectNothingOf(id);
      }
      const upload = await new PartsOf(store, [200_000]).begin();
      const [client, { content, halted }] = [new AbortController(), halting(bytesOf(200_000))];
      const putting = store.putPart(upload.blobId, upload.token, upload.place(1), content, client.signal);
      await halted;
      client.abort(reason);
      await expect(putting).rejects.toBe(reason);
    });

    it('ends a read in progress', async () => {
      const id = await put(bytesOf(6_000_000));
      const client = new AbortController();
      const stream = await store.open(id, null, client.signal);
      const reading = (async () => {
        for await (const chunk of stream) if ((chunk as Buffer).length > 0) client.abort(reason);
      })();
      await expect(reading).rejects.toBe(reason);
    });
  });

  describe('an upload in parts', () => {
    const sizes = [PART, PART, 1_000];
    const whole = bytesOf(2 * PART + 1_000, 7);
    const bytesAt = ({ offset, size }: { offset: number; size: number }): Buffer =>
      whole.subarray(offset, offset + size);
    const upload = (): Promise<PartsOf> => new PartsOf(store, sizes).begin();
    const putAll = (parts: PartsOf, order: readonly number[], slot = 0): Promise<WrittenPart[]> =>
      Promise.all(order.map((number) => parts.put(number, slot, bytesAt(parts.place(number)))));

    it('takes them in any order and at once, and makes the whole of them', async () => {
      const parts = await upload();
      const written = [...(await putAll(parts, [3])), ...(await putAll(parts, [2, 1]))];
      await expect(store.open(parts.blobId, null, calm())).rejects.toThrow(BlobMissing);
      await parts.complete(written);
      expect((await parts.content()).equals(whole)).toBe(true);
      const range = { first: PART - 5, last: PART + 5 };
      const seam = await contentOf(await store.open(parts.blobId, range, calm()));
      expect(seam.equals(whole.subarray(range.first, range.last + 1))).toBe(true);
    });

    it.each([false, true])(
      'takes a part again, and that which is named at the end holds (disturbed: %s)',
      async (disturbed) => {
        const parts = await upload();
        const others = await putAll(parts, [1, 3]);
        await parts.put(2, 0, bytesOf(PART, 1));
        await parts.put(2, 1, bytesOf(PART, 2));
        const second = await parts.put(2, 2, bytesAt(parts.place(2)));
        await parts.put(2, 3, bytesOf(PART, 3));
        await parts.complete([...others, second], disturbed);
        expect((await parts.content()).equals(whole)).toBe(true);
      },
    );

    it('takes one part in all of its slots at once', async () => {
      const [size, at] = [100_000, Array.from({ length: SLOTS }, (_, slot) => slot)];
      for (const chosen of [0, 1, 9]) {
        const parts = await new PartsOf(store, [size]).begin();
        const written = await Promise.all(at.map((slot) => parts.put(1, slot, bytesOf(size, slot))));
        await parts.complete([written[chosen]!]);
        expect((await parts.content()).equals(bytesOf(size, chosen))).toBe(true);
      }
    });

    it('takes a slot again that broke off', async () => {
      const fault = new Error('the client has gone');
      const parts = await new PartsOf(store, [100_000]).begin();
      for (const slot of [0, 1]) {
        const { blobId, token } = parts;
        const attempt = store.putPart(blobId, token, parts.place(1, slot), broken(bytesOf(90_000, 9), fault), calm());
        await expect(attempt).rejects.toBe(fault);
        const written = await parts.put(1, slot, bytesOf(100_000, slot));
        if (slot === 1) await parts.complete([written]);
      }
      expect((await parts.content()).equals(bytesOf(100_000, 1))).toBe(true);
    });

    it('takes nothing that is longer or shorter than its place, and none of its neighbours has it', async () => {
      const parts = await upload();
      const others = await putAll(parts, [2, 3]);
      const attempt = (size: number, slot: number): Promise<string> =>
        store.putPart(parts.blobId, parts.token, parts.place(1, slot), chunked(bytesOf(size, 5)), calm());
      for (const slot of [0, 1]) {
        await expect(attempt(PART + 1, slot)).rejects.toThrow(RangeError);
        await expect(attempt(PART - 1, slot)).rejects.toThrow(RangeError);
      }
      await parts.complete([...others, ...(await putAll(parts, [1], 2))]);
      expect((await parts.content()).equals(whole)).toBe(true);
    });

    it.each([false, true])(
      'is completed once, however often and by however many (disturbed: %s)',
      async (disturbed) => {
        const parts = await upload();
        const written = [...(await putAll(parts, [1, 3])), ...(await putAll(parts, [2], 4))];
        await Promise.all(Array.from({ length: 4 }, () => parts.complete(written, disturbed)));
        expect((await parts.content()).equals(whole)).toBe(true);
        // As after a crash between the store and the row.
        await parts.complete(written, disturbed);
        await parts.complete(written, !disturbed);
        expect((await parts.content()).equals(whole)).toBe(true);
      },
    );

    it('is safe from somebody who still writes into the first slot', async () => {
      const parts = await upload();
      const late = halting(bytesOf(PART, 66));
      const place = parts.place(2);
      const lost = store.putPart(parts.blobId, parts.token, place, late.content, calm());
      lost.catch(() => undefined);
      await late.halted;
      const written = [...(await putAll(parts, [1, 3])), ...(await putAll(parts, [2], 1))];
      await parts.complete(written, true);
      late.go();
      await lost.catch(() => undefined);
      expect((await parts.content()).equals(whole)).toBe(true);
    });

    it.each([
      ['of number 0', { number: 0 }],
      ['of a number too high', { number: MOST_PARTS + 1 }],
      ['in a slot too many', { slot: SLOTS }],
      ['of no bytes', { size: 0 }],
      ['before the beginning', { offset: -1 }],
    ])('takes no part %s', async (_, wrong) => {
      const { blobId, token } = await new PartsOf(store, [1_000]).begin();
      const place = { number: 1, offset: 0, size: 1_000, slot: 0, ...wrong };
      const attempt = async (): Promise<string> => store.putPart(blobId, token, place, chunked(bytesOf(1_000)), calm());
      await expect(attempt()).rejects.toThrow(RangeError);
    });

    it('cannot be completed without one of its parts', async () => {
      const parts = await upload();
      const written = await putAll(parts, [1, 3]);
      await expect(parts.complete(written)).rejects.toThrow(RangeError);
      const never = {
        ...parts.place(2, 3),
        token: name === 'S3' ? '"0123456789abcdef0123456789abcdef"' : '0123456789abcdef',
      };
      await expect(parts.complete([...written, never])).rejects.toThrow(PartsLost);
      await expect(store.open(parts.blobId, null, calm())).rejects.toThrow(BlobMissing);
    });

    it('is gone once it was removed', async () => {
      const parts = await upload();
      const written = await putAll(parts, [1, 2, 3]);
      await store.remove(parts.blobId, parts.token);
      await expect(parts.complete(written)).rejects.toThrow(PartsLost);
      await expect(parts.put(3, 0, bytesOf(1_000))).rejects.toThrow(PartsLost);
      await expect(parts.put(3, 1, bytesOf(1_000))).rejects.toThrow(PartsLost);
      await expectNothingOf(parts.blobId);
    });
  });

  describe('removing', () => {
    it.each(['with its token', 'without'])('takes away whatever there is of an upload, %s', async (how) => {
      const tokenOf = (parts: PartsOf): string | null => (how === 'without' ? null : parts.token);
      const begun = await new PartsOf(store, [1_000]).begin();
      const written = await new PartsOf(store, [1_000]).begin();
      await written.put(1, 0, bytesOf(1_000));
      await written.put(1, 3, bytesOf(1_000));
      const complete = await new PartsOf(store, [1_000]).begin();
      await complete.complete([await complete.put(1, 0, bytesOf(1_000))]);
      for (const parts of [begun, written, complete]) {
        expect((await blobIds(store)).has(parts.blobId)).toBe(true);
        await store.remove(parts.blobId, tokenOf(parts));
        await expectNothingOf(parts.blobId);
        await store.remove(parts.blobId, tokenOf(parts));
      }
    });

    it('takes away a blob, once or again, and what never was', async () => {
      const id = await put(bytesOf(1_000));
      await store.remove(id, null);
      await store.remove(id, null);
      await store.remove(newId(), null);
      await expectNothingOf(id);
    });

    it('leaves all others', async () => {
      const [kept, gone] = await Promise.all([put(bytesOf(10, 1)), put(bytesOf(10, 2))]);
      await store.remove(gone, null);
      expect((await read(kept)).equals(bytesOf(10, 1))).toBe(true);
    });
  });

  it('tells of every blob that it holds or has begun', async () => {
    const ids = [await put(bytesOf(0)), await put(bytesOf(10)), (await new PartsOf(store, [10]).begin()).blobId];
    const found = await blobIds(store);
    expect(ids.filter((id) => !found.has(id))).toEqual([]);
  });

  it('passes its health check', async () => {
    await store.health();
  });

  it.each(['', '..', '../../etc/passwd', 'a/b', ID.toUpperCase(), `${ID}\n`, `${ID}/../x`])(
    'takes nothing for the id of a blob that is none: %j',
    async (id) => {
      const place = { number: 1, offset: 0, size: 1, slot: 0 };
      const calls = [
        () => store.put(id, chunked(bytesOf(1)), 1, calm()),
        () => store.open(id, null, calm()),
        () => store.remove(id, null),
        () => store.remove(id, 'token'),
        () => store.beginParts(id, 1, calm()),
        () => store.putPart(id, '', place, chunked(bytesOf(1)), calm()),
        () => store.completeParts(id, '', [{ ...place, token: '' }], { size: 1, disturbed: false }, calm()),
      ];
      for (const call of calls) await expect((async () => call())()).rejects.toThrow(TypeError);
    },
  );

  it('behaves like a table of blobs and uploads over any sequence of calls', async () => {
    const sizes = fc.constantFrom(0, 1, 1_000, 70_000);
    const step = fc.oneof(
      fc.record({ act: fc.constant('put' as const), blob: fc.nat(2), size: sizes, told: fc.boolean() }),
      fc.record({ act: fc.constant('break' as const), blob: fc.nat(2), size: sizes }),
      fc.record({ act: fc.constant('read' as const), blob: fc.nat(2), from: fc.nat(100), to: fc.nat(100) }),
      fc.record({ act: fc.constant('remove' as const), blob: fc.nat(2), known: fc.boolean() }),
      fc.record({ act: fc.constant('begin' as const), blob: fc.nat(2) }),
      fc.record({ act: fc.constant('part' as const), blob: fc.nat(2), slot: fc.nat(2) }),
      fc.record({ act: fc.constant('complete' as const), blob: fc.nat(2), disturbed: fc.boolean() }),
    );
    const SIZE = 2_000;
    let seed = 0;
    const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      /** What there should be of three blobs; one that was used is used by another id from then on. */
      const fresh = () => ({
        parts: new PartsOf(store, [SIZE]),
        content: null as Buffer | null,
        open: false,
        part: null as { written: WrittenPart; bytes: Buffer } | null,
        used: new Set<number>(),
      });
      const table = [fresh(), fresh(), fresh()];
      for (const { blob, ...one } of steps) {
        let entry = table[blob]!;
        const { blobId } = entry.parts;
        seed += 1;
        switch (one.act) {
          case 'put': {
            if (entry.content !== null || entry.open) entry = table[blob] = fresh();
            entry.content = bytesOf(one.size, seed);
            await store.put(entry.parts.blobId, chunked(entry.content), one.told ? one.size : null, calm());
            break;
          }
          case 'break': {
            if (entry.content !== null || entry.open) entry = table[blob] = fresh();
            const fault = new Error('gone');
            const attempt = store.put(entry.parts.blobId, broken(bytesOf(one.size), fault), one.size, calm());
            await expect(attempt).rejects.toBe(fault);
            break;
          }
          case 'read': {
            const { content } = entry;
            if (content === null) await expect(store.open(blobId, null, calm())).rejects.toThrow(BlobMissing);
            else if (content.length === 0) expect(await read(blobId)).toHaveLength(0);
            else {
              const [a, b] = [one.from, one.to].map((percent) => Math.floor((percent * (content.length - 1)) / 100));
              const range = { first: Math.min(a!, b!), last: Math.max(a!, b!) };
              const found = await contentOf(await store.open(blobId, range, calm()));
              expect(found.equals(content.subarray(range.first, range.last + 1))).toBe(true);
            }
            break;
          }
          case 'remove': {
            await store.remove(blobId, one.known && entry.open ? entry.parts.token : null);
            table[blob] = fresh();
            break;
          }
          case 'begin': {
            if (entry.content !== null || entry.open) entry = table[blob] = fresh();
            await entry.parts.begin();
            entry.open = true;
            break;
          }
          case 'part': {
            if (!entry.open || entry.content !== null || entry.used.has(one.slot)) break;
            const bytes = bytesOf(SIZE, seed);
            entry.part = { written: await entry.parts.put(1, one.slot, bytes), bytes };
            entry.used.add(one.slot);
            break;
          }
          case 'complete': {
            if (entry.part === null) break;
            await entry.parts.complete([entry.part.written], one.disturbed);
            entry.content = entry.part.bytes;
            break;
          }
        }
      }
      const found = await blobIds(store);
      for (const { parts, content, open: isOpen } of table) {
        expect(found.has(parts.blobId)).toBe(content !== null || isOpen);
        if (content !== null) expect((await read(parts.blobId)).equals(content)).toBe(true);
        await store.remove(parts.blobId, null);
      }
    });
    await fc.assert(property, { numRuns: name === 'S3' ? 6 : 30 });
  });
});

describe('a store of objects in files', () => {
  let folder: string;
  let store: FilesObjectStore;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oes-objects-'));
    store = new FilesObjectStore(join(folder, 'data', 'objects'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const objects = (...names: string[]): string => join(folder, 'data', 'objects', ...names);
  const put = (id: string, bytes: Uint8Array, into = store): Promise<void> =>
    into.put(id, chunked(bytes), bytes.length, calm());

  it('keeps each in a file of its own, by the last digits of its id, which nobody else may read', async () => {
    await put(ID, bytesOf(10));
    const file = await stat(objects('cd', 'ab', ID));
    expect([file.size, file.mode & 0o777]).toEqual([10, 0o600]);
    for (const path of [objects(), objects('staging'), objects('cd'), objects('cd', 'ab')]) {
      expect((await stat(path)).mode & 0o777).toBe(0o700);
    }
    // The embedded database lives beside it, as a user of its own.
    expect((await stat(join(folder, 'data'))).mode & 0o077).not.toBe(0);
    expect(await readdir(objects('staging'))).toEqual([]);
  });

  it('leaves nothing in staging of what is complete, and nothing of what was removed', async () => {
    const parts = await new PartsOf(store, [1_000]).begin();
    await parts.put(1, 0, bytesOf(1_000, 1));
    await parts.complete([await parts.put(1, 1, bytesOf(1_000, 2))], true);
    expect(await readdir(objects('staging'))).toEqual([]);
    await store.remove(parts.blobId, null);
    const left = (await readdir(objects(), { recursive: true })).filter((path) => path.includes(parts.blobId));
    expect(left).toEqual([]);
  });

  it('writes parts where they belong, so that completing copies none of them', async () => {
    const parts = await new PartsOf(store, [PART, PART]).begin();
    const written = [await parts.put(2, 0, bytesOf(PART, 2)), await parts.put(1, 0, bytesOf(PART, 1))];
    const before = await stat(objects('staging', parts.blobId, 'parts'));
    await parts.complete(written);
    const after = await stat(objects(parts.blobId.slice(-2), parts.blobId.slice(-4, -2), parts.blobId));
    expect([after.ino, after.size]).toEqual([before.ino, 2 * PART]);
  });

  it('takes away what a process has left that died in the middle', async () => {
    const gone = newId();
    await put(newId(), bytesOf(1));
    await mkdir(objects('staging', gone));
    await writeFile(objects('staging', `${gone}.draft`), 'left');
    for (const name of ['whole-0123456789abcdef', 'parts', 'part-1-2-0123456789abcdef']) {
      await writeFile(objects('staging', gone, name), 'left');
    }
    const half = newId();
    await writeFile(objects('staging', `${half}.draft`), 'left');
    const found = await blobIds(store);
    expect([found.has(gone), found.has(half)]).toEqual([true, true]);
    await store.remove(half, null);
    // What it wrote later is in nobody's way.
    await put(gone, bytesOf(5));
    await store.remove(gone, null);
    expect((await blobIds(store)).has(gone)).toBe(false);
    expect(await readdir(objects('staging'))).toEqual([]);
  });

  it('goes on with an upload that another process completed in part', async () => {
    const parts = await new PartsOf(store, [1_000, 1_000]).begin();
    const written = [await parts.put(1, 0, bytesOf(1_000, 1)), await parts.put(2, 1, bytesOf(1_000, 2))];
    // It died behind the rename, before it tidied up.
    const [outer, inner] = [parts.blobId.slice(-2), parts.blobId.slice(-4, -2)];
    await mkdir(objects(outer, inner), { recursive: true });
    await rename(objects('staging', parts.blobId, 'parts'), objects(outer, inner, parts.blobId));
    await parts.complete(written);
    expect(await readdir(objects('staging'))).toEqual([]);
  });

  it('does not take parts for whole that have lost a piece', async () => {
    const parts = await new PartsOf(store, [1_000, 1_000]).begin();
    const written = [await parts.put(1, 0, bytesOf(1_000, 1)), await parts.put(2, 1, bytesOf(1_000, 2))];
    const [side = ''] = (await readdir(objects('staging', parts.blobId))).filter((name) => name.startsWith('part-'));
    await truncate(objects('staging', parts.blobId, side), 999);
    for (const disturbed of [false, true]) await expect(parts.complete(written, disturbed)).rejects.toThrow(PartsLost);
    await expect(store.open(parts.blobId, null, calm())).rejects.toThrow(BlobMissing);
  });

  it('has an identity that all of its processes see, and no other folder has', async () => {
    const [here, there] = [new FilesObjectStore(objects()), new FilesObjectStore(join(folder, 'elsewhere'))];
    const [first, ...others] = await Promise.all([store.identity(), here.identity(), here.identity()]);
    expect(others).toEqual([first, first]);
    expect(await there.identity()).not.toBe(first);
  });

  it('does not take a folder that is not mounted for an empty one', async () => {
    const id = newId();
    await put(id, bytesOf(10));
    const parts = await new PartsOf(store, [10]).begin();
    const written = [await parts.put(1, 0, bytesOf(10))];
    await rename(objects(), objects('..', 'unmounted'));
    // Where it was mounted.
    await mkdir(objects());
    for (const call of [
      () => store.open(id, null, calm()),
      () => store.remove(id, null),
      () => store.health(),
      () => blobIds(store),
      () => put(newId(), bytesOf(10)),
      () => new PartsOf(store, [10]).begin(),
      () => parts.put(1, 1, bytesOf(10)),
      () => parts.complete(written),
    ]) {
      await expect(call()).rejects.toThrow(StoreUnavailable);
    }
    expect((await readdir(objects(), { recursive: true })).filter((name) => name.includes(id))).toEqual([]);
    await rm(objects(), { recursive: true });
    await rename(objects('..', 'unmounted'), objects());
    await store.health();
    await parts.complete(written);
    expect(await contentOf(await store.open(id, null, calm()))).toHaveLength(10);
  });

  it('makes folders again that somebody has tidied up', async () => {
    const [first, parts] = [newId(), await new PartsOf(store, [10]).begin()];
    const written = [await parts.put(1, 0, bytesOf(10))];
    await put(first, bytesOf(10));
    await store.remove(first, null);
    await rm(objects(first.slice(-2)), { recursive: true });
    await put(first, bytesOf(10));
    await parts.complete(written);
    await rm(objects('staging'), { recursive: true });
    await put(newId(), bytesOf(10));
    expect(await contentOf(await store.open(first, null, calm()))).toHaveLength(10);
  });

  it('says nothing of the disk but that it is unavailable, and recovers', async () => {
    await writeFile(join(folder, 'data'), 'in the way');
    const attempt = put(ID, bytesOf(10));
    await expect(attempt).rejects.toMatchObject({
      name: 'StoreUnavailable',
      message: 'The object store is unavailable',
      cause: { code: 'EEXIST' },
    });
    await rm(join(folder, 'data'));
    await put(ID, bytesOf(10));
  });

  (canMount() ? it : it.skip)(
    'keeps nothing of what a full disk did not take (needs root for a disk of 1 MiB)',
    async () => {
      const disk = join(folder, 'disk');
      await mkdir(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', disk]);
      try {
        const small = new FilesObjectStore(join(disk, 'objects'));
        const kept = newId();
        await put(kept, bytesOf(300_000), small);
        for (const size of [2_000_000, null]) {
          const attempt = small.put(newId(), chunked(bytesOf(2_000_000)), size, calm());
          await expect(attempt).rejects.toMatchObject({ name: 'StoreUnavailable', cause: { code: 'ENOSPC' } });
        }
        const parts = await new PartsOf(small, [700_000, 700_000]).begin();
        await parts.put(1, 0, bytesOf(700_000));
        await expect(parts.put(2, 0, bytesOf(700_000))).rejects.toThrow(StoreUnavailable);
        await expect(parts.put(2, 1, bytesOf(700_000))).rejects.toThrow(StoreUnavailable);
        await small.remove(parts.blobId, '');
        expect([...(await blobIds(small))]).toEqual([kept]);
        // There is room again.
        await put(newId(), bytesOf(500_000), small);
        expect((await contentOf(await small.open(kept, null, calm()))).equals(bytesOf(300_000))).toBe(true);
      } finally {
        execFileSync('umount', [disk]);
      }
    },
  );
});

/** A container's root may not. */
function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync('unshare', ['--mount', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
