import type { Response, Test } from 'supertest';
import { type ObjectRecord, pathOf, type StorageUsage, type UploadRecord } from './objects.js';
import { type Api, api, type Caller } from './service.js';

/** Sends text and bytes unchanged, whatever their media type is. */
export const asIs = (body: unknown): string => body as string;

/** The requests of one caller about the objects of one project. */
export class ProjectObjects {
  private readonly api: Api;

  constructor(
    private readonly projectId: string,
    caller: Caller,
  ) {
    this.api = api.as(caller);
  }

  /** Returns a request that creates an object, without a body. */
  create(query: Record<string, string> = {}): Test {
    return this.api.post('/v1/core/objects').query({ project_id: this.projectId, ...query });
  }

  put(key: string, content: Buffer | string = key, query: Record<string, string> = {}): Test {
    return this.create({ key, ...query })
      .set('Content-Type', 'text/plain')
      .serialize(asIs)
      .send(content);
  }

  async stored(key: string, content: Buffer | string = key, query: Record<string, string> = {}): Promise<ObjectRecord> {
    return (await this.put(key, content, query).expect(201)).body as ObjectRecord;
  }

  get(id: string, query: Record<string, string | number> = {}): Test {
    return this.api.get(`/v1/core/objects/${id}`, query);
  }

  list(query: Record<string, string | number> = {}): Test {
    return this.api.get('/v1/core/objects', { project_id: this.projectId, ...query });
  }

  change(id: string, body: object): Test {
    return this.api.patch(`/v1/core/objects/${id}`, body);
  }

  remove(id: string): Test {
    return this.api.delete(`/v1/core/objects/${id}`);
  }

  usageOf(projectId: string): Test {
    return this.api.get('/v1/core/usage', { project_id: projectId });
  }

  async usage(): Promise<StorageUsage> {
    return (await this.usageOf(this.projectId).expect(200)).body as StorageUsage;
  }

  /** Returns the answer with the content of an object, which its signed URL serves. */
  async content(id: string): Promise<Response> {
    const { body } = await this.get(id).expect(200);
    return api
      .get(pathOf((body as { download_url: string }).download_url))
      .buffer(true)
      .expect(200);
  }

  begin(body: object): Test {
    return this.api.post('/v1/core/uploads', { project_id: this.projectId, ...body });
  }

  async begun(body: object): Promise<UploadRecord> {
    return (await this.begin(body).expect(201)).body as UploadRecord;
  }

  /** Sends a part to its signed URL, without credentials. */
  part(upload: UploadRecord, number: number, bytes: Buffer): Test {
    return api
      .put(pathOf(partUrl(upload, number)))
      .set('Content-Type', 'application/octet-stream')
      .serialize(asIs)
      .send(bytes);
  }

  complete(upload: Pick<UploadRecord, 'id'>, body: object = {}): Test {
    return this.api.post(`/v1/core/uploads/${upload.id}/complete`, body);
  }

  abort(upload: Pick<UploadRecord, 'id'>): Test {
    return this.api.delete(`/v1/core/uploads/${upload.id}`);
  }
}

/** Returns the signed URL of a part. */
export function partUrl({ id, parts }: UploadRecord, number = 1): string {
  const url = parts[number - 1]?.url;
  if (url === undefined) throw new Error(`the upload ${id} has no part ${number}`);
  return url;
}
