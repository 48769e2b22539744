import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { ObjectStore } from '../../src/platform/storage/index.js';
import type { Owner } from './actors.js';
import type { TestApp } from './app.js';
import { blobIds } from './blobs.js';
import { type ObjectRecord, Objects, sha256, type UploadRecord } from './objects.js';

/** The actions of a person on the objects of a project. `which` counts uploads back from the latest one. */
export type StorageAct =
  | {
      readonly do: 'put';
      readonly key: string;
      readonly size: number;
      readonly seed: number;
      readonly overwrite: boolean;
    }
  | { readonly do: 'rename'; readonly key: string; readonly to: string }
  | { readonly do: 'delete'; readonly key: string }
  | { readonly do: 'begin'; readonly key: string; readonly size: number; readonly overwrite: boolean }
  | { readonly do: 'part'; readonly which: number; readonly seed: number }
  | { readonly do: 'complete' | 'abort' | 'expire'; readonly which: number }
  | { readonly do: 'sweep' };

const key = fc.constantFrom('a', 'b', 'c/d');
const which = fc.nat({ max: 3 });
const seed = fc.integer({ min: 1, max: 250 });
const overwrite = fc.boolean();
const toEnd = fc.constantFrom('complete' as const, 'complete' as const, 'abort' as const, 'expire' as const);

export const anyAct: fc.Arbitrary<StorageAct> = fc.oneof(
  fc.record({ do: fc.constant('put' as const), key, size: fc.integer({ min: 0, max: 1_100 }), seed, overwrite }),
  fc.record({ do: fc.constant('rename' as const), key, to: key }),
  fc.record({ do: fc.constant('delete' as const), key }),
  fc.record({ do: fc.constant('begin' as const), key, size: fc.integer({ min: 1, max: 1_100 }), overwrite }),
  fc.record({ do: fc.constant('part' as const), which, seed }),
  fc.record({ do: toEnd, which }),
  fc.record({ do: fc.constant('sweep' as const) }),
);

interface ModelObject {
  readonly id: string;
  readonly content: Buffer;
  readonly etag: string;
  readonly version: number;
}

interface ModelUpload {
  readonly record: UploadRecord;
  readonly key: string;
  readonly size: number;
  readonly overwrite: boolean;
  part?: Buffer;
  /** The id of the object that the upload has become. */
  became?: string;
}

const QUOTA = 2_048;
const LARGEST = 1_024;

/**
 * A model of objects in a map, to compare with the objects of the service. The plan allows 2 KB in total and 1 KB per
 * file.
 */
export class StorageModel {
  private readonly objects = new Map<string, ModelObject>();
  private readonly uploads: ModelUpload[] = [];
  private readonly service: Objects;

  constructor(
    private readonly app: TestApp,
    private readonly owner: Owner,
    private readonly maintain: () => Promise<unknown>,
  ) {
    this.service = new Objects(app, owner);
  }

  /** Performs all actions. Checks the answer after each step, and the stored objects at the end. */
  async follow(acts: readonly StorageAct[]): Promise<void> {
    for (const act of acts) await this.act(act);
    await this.compare();
    await this.app.rows(`UPDATE stored_blobs SET due_at = now() WHERE project_id = $1 AND state = 'doomed'`, [
      this.owner.projectId,
    ]);
    await this.maintain();
    await this.compare();
    await this.compareStore();
  }

  private get stored(): number {
    return [...this.objects.values()].reduce((sum, { content }) => sum + content.length, 0);
  }

  private get open(): ModelUpload[] {
    return this.uploads.filter(({ became }) => became === undefined);
  }

  private get reserved(): number {
    return this.open.reduce((sum, { size }) => sum + size, 0);
  }

  private async act(act: StorageAct): Promise<void> {
    switch (act.do) {
      case 'put':
        return this.put(act.key, Buffer.alloc(act.size, act.seed), act.overwrite);
      case 'rename':
        return this.rename(act.key, act.to);
      case 'delete':
        return this.remove(act.key);
      case 'begin':
        return this.begin(act);
      case 'sweep':
        await this.maintain();
        return;
      default: {
        const upload = this.uploads.at(-1 - act.which);
        if (upload === undefined) return;
        if (act.do === 'part') return this.part(upload, Buffer.alloc(upload.size, act.seed));
        if (act.do === 'complete') return this.complete(upload);
        return act.do === 'abort' ? this.abort(upload) : this.expire(upload);
      }
    }
  }

  /** Returns the status with which content of this size is refused under a key, or undefined when it is accepted. */
  private refusal(key: string, size: number, overwrite: boolean, replaced: number): number | undefined {
    if (size > LARGEST) return 413;
    if (this.objects.has(key) && !overwrite) return 409;
    const added = Math.max(0, size - replaced);
    return added > 0 && this.stored + this.reserved + added > QUOTA ? 403 : undefined;
  }

  private place(key: string, record: ObjectRecord, content: Buffer, etag: string): void {
    const before = this.objects.get(key);
    const version = (before?.version ?? 0) + 1;
    if (before !== undefined) expect(record.id).toBe(before.id);
    this.objects.set(key, { id: record.id, content, etag, version });
    expect(record).toMatchObject({ key, size: content.length, etag, version });
  }

  private async put(key: string, content: Buffer, overwrite: boolean): Promise<void> {
    const replaced = this.objects.get(key)?.content.length ?? 0;
    const status = this.refusal(key, content.length, overwrite, replaced) ?? 201;
    const { body } = await this.service.put(key, content, { overwrite: String(overwrite) }).expect(status);
    if (status === 201) this.place(key, body as ObjectRecord, content, sha256(content));
  }

  private async rename(key: string, to: string): Promise<void> {
    const object = this.objects.get(key);
    if (object === undefined) return;
    const isTaken = to !== key && this.objects.has(to);
    await this.service.change(object.id, { key: to }).expect(isTaken ? 409 : 200);
    if (isTaken) return;
    this.objects.delete(key);
    this.objects.set(to, object);
  }

  private async remove(key: string): Promise<void> {
    const object = this.objects.get(key);
    if (object === undefined) return;
    await this.service.remove(object.id).expect(204);
    await this.service.remove(object.id).expect(404);
    this.objects.delete(key);
  }

  private async begin({ key, size, overwrite }: Extract<StorageAct, { do: 'begin' }>): Promise<void> {
    const status = this.refusal(key, size, overwrite, 0) ?? 201;
    const { body } = await this.service.begin({ key, size, overwrite }).expect(status);
    if (status === 201) this.uploads.push({ record: body as UploadRecord, key, size, overwrite });
  }

  private async part(upload: ModelUpload, content: Buffer): Promise<void> {
    await this.service.part(upload.record, 1, content).expect(upload.became === undefined ? 200 : 409);
    if (upload.became === undefined) upload.part = content;
  }

  private async complete(upload: ModelUpload): Promise<void> {
    const { record, key, overwrite, part, became } = upload;
    if (became !== undefined) {
      const isThere = [...this.objects.values()].some(({ id }) => id === became);
      await this.service.complete(record).expect(isThere ? 200 : 404);
      return;
    }
    const isRefused = part === undefined || (this.objects.has(key) && !overwrite);
    const { body } = await this.service.complete(record).expect(isRefused ? 409 : 200);
    if (isRefused) return;
    const digest = createHash('sha256').update(part).digest();
    this.place(key, body as ObjectRecord, part, `${sha256(digest)}-1`);
    upload.became = (body as ObjectRecord).id;
  }

  private async abort(upload: ModelUpload): Promise<void> {
    await this.service.abort(upload.record).expect(upload.became === undefined ? 204 : 409);
    if (upload.became === undefined) await this.gone(upload);
  }

  private async expire(upload: ModelUpload): Promise<void> {
    await this.app.rows('UPDATE object_uploads SET expires_at = now() WHERE id = $1', [upload.record.id]);
    await this.maintain();
    await this.gone(upload);
  }

  private async gone(upload: ModelUpload): Promise<void> {
    this.uploads.splice(this.uploads.indexOf(upload), 1);
    await this.service.complete(upload.record).expect(404);
    await this.service.abort(upload.record).expect(404);
  }

  private async compare(): Promise<void> {
    const { body } = await this.service.list().expect(200);
    const expected = [...this.objects].map(([key, { id, etag, version }]) => ({ key, id, etag, version }));
    const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : 1);
    expect((body as { items: ObjectRecord[] }).items).toEqual(
      expected.sort(byKey).map((object) => expect.objectContaining(object) as object),
    );
    for (const { id, content } of this.objects.values()) {
      const answer = await fetch(this.app.url + (await this.service.link(id)));
      expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
    }
    const { storage, project } = await this.service.usage();
    const [stored, reserved, objects] = [this.stored, this.reserved, this.objects.size];
    expect(storage).toMatchObject({ bytes_used: stored, bytes_reserved: reserved, objects });
    expect(project).toMatchObject({ bytes_used: stored, objects });
  }

  /** Checks that the store has only the contents of objects and of open uploads of this project. */
  private async compareStore(): Promise<void> {
    const blobs = await this.app.rows<{ id: string; state: string }>(
      'SELECT id, state FROM stored_blobs WHERE project_id = $1',
      [this.owner.projectId],
    );
    const states = blobs.map(({ state }) => state).sort();
    expect(states).toEqual([...[...this.objects].map(() => 'live'), ...this.open.map(() => 'writing')]);
    const kept = await blobIds(this.app.nest.get(ObjectStore));
    expect(blobs.filter(({ id }) => !kept.has(id))).toEqual([]);
  }
}
