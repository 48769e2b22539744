import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type supertest from 'supertest';

export interface ObjectRecord {
  readonly id: string;
  readonly project_id: string;
  readonly key: string;
  readonly size: number;
  readonly content_type: string;
  readonly etag: string;
  readonly sha256: string | null;
  readonly metadata: Record<string, string>;
  readonly version: number;
  readonly created_by: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface UploadRecord {
  readonly id: string;
  readonly part_size: number;
  readonly part_count: number;
  readonly parts: readonly { readonly part_number: number; readonly size: number; readonly url: string }[];
  readonly expires_at: string;
}

export interface StorageUsage {
  readonly plan: string;
  readonly is_metered: boolean;
  readonly max_file_bytes: number | null;
  readonly storage: Record<'bytes_used' | 'bytes_reserved' | 'objects', number> &
    Record<string, number | boolean | null>;
  readonly bandwidth: { readonly bytes_used: number } & Record<string, number | boolean | null>;
  readonly project: Record<'bytes_used' | 'objects' | 'bandwidth_bytes_used', number>;
}

export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** The actions of a person on the objects of one project. */
export class Objects {
  constructor(
    private readonly app: { request(): supertest.Agent },
    private readonly owner: { readonly projectId: string; readonly bearer: string },
    private readonly as: { readonly bearer: string } = owner,
  ) {}

  put(key: string, content: Buffer | string = key, query: Record<string, string> = {}): supertest.Test {
    const { projectId } = this.owner;
    return this.app
      .request()
      .post('/v1/core/objects')
      .query({ project_id: projectId, key, ...query })
      .set('Authorization', this.as.bearer)
      .set('Content-Type', 'text/plain')
      .serialize((body: unknown) => body as string)
      .send(content as string);
  }

  async stored(key: string, content: Buffer | string = key, query: Record<string, string> = {}): Promise<ObjectRecord> {
    return (await this.put(key, content, query).expect(201)).body as ObjectRecord;
  }

  get(rest: string, query: Record<string, string | number> = {}): supertest.Test {
    return this.app.request().get(`/v1/core/${rest}`).query(query).set('Authorization', this.as.bearer);
  }

  list(query: Record<string, string | number> = {}): supertest.Test {
    return this.get('objects', { project_id: this.owner.projectId, ...query });
  }

  change(id: string, body: object): supertest.Test {
    return this.app.request().patch(`/v1/core/objects/${id}`).set('Authorization', this.as.bearer).send(body);
  }

  remove(id: string): supertest.Test {
    return this.app.request().delete(`/v1/core/objects/${id}`).set('Authorization', this.as.bearer);
  }

  async usage(): Promise<StorageUsage> {
    return (await this.get('usage', { project_id: this.owner.projectId }).expect(200)).body as StorageUsage;
  }

  /** Returns the path and query of the signed URL of an object. */
  async link(id: string, query: Record<string, string | number> = {}): Promise<string> {
    const { body } = await this.get(`objects/${id}`, query).expect(200);
    return pathOf((body as { download_url: string }).download_url);
  }

  begin(body: object): supertest.Test {
    return this.app
      .request()
      .post('/v1/core/uploads')
      .set('Authorization', this.as.bearer)
      .send({ project_id: this.owner.projectId, ...body });
  }

  async begun(body: object): Promise<UploadRecord> {
    return (await this.begin(body).expect(201)).body as UploadRecord;
  }

  part(upload: UploadRecord, number: number, bytes: Buffer): supertest.Test {
    const url = upload.parts[number - 1]?.url ?? '';
    return this.app
      .request()
      .put(pathOf(url))
      .set('Content-Type', 'application/octet-stream')
      .serialize((body: unknown) => body as string)
      .send(bytes as unknown as string);
  }

  complete(upload: Pick<UploadRecord, 'id'>, body: object = {}): supertest.Test {
    return this.app
      .request()
      .post(`/v1/core/uploads/${upload.id}/complete`)
      .set('Authorization', this.as.bearer)
      .send(body);
  }

  abort(upload: Pick<UploadRecord, 'id'>): supertest.Test {
    return this.app.request().delete(`/v1/core/uploads/${upload.id}`).set('Authorization', this.as.bearer);
  }
}

export function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

export interface RawAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** A request whose body the test sends step by step. */
export class HeldRequest {
  /** Rejects when the connection breaks off without an answer. */
  readonly answer: Promise<RawAnswer>;
  private readonly sent: ClientRequest;

  constructor(url: string, { method = 'POST', headers = {} }: { method?: string; headers?: Record<string, string> }) {
    this.sent = httpRequest(url, { method, headers, agent: false });
    this.answer = new Promise((resolve, reject) => {
      this.sent.on('error', reject);
      this.sent.on('response', (response) => {
        void buffer(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
      });
    });
    this.answer.catch(() => undefined);
  }

  /** Resolves when the connection has accepted the bytes. */
  write(bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.sent.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  end(bytes?: Buffer): Promise<RawAnswer> {
    this.sent.end(bytes);
    return this.answer;
  }

  /** Disconnects. */
  destroy(): void {
    this.sent.destroy();
  }
}

/** Returns the files in the folder of objects by relative path, with their sizes: contents and unfinished uploads. */
export async function storedFiles(dataDir: string): Promise<Map<string, number>> {
  const root = join(dataDir, 'objects');
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = new Map<string, number>();
  for (const entry of entries) {
    if (!entry.isFile() || entry.name === 'store-id') continue;
    const path = join(entry.parentPath, entry.name);
    const found = await stat(path).catch(() => null);
    if (found !== null) files.set(relative(root, path), found.size);
  }
  return files;
}
