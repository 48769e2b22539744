import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { S3Settings } from '../../src/config/index.js';
import { type Owner, ownerWithProject } from '../support/actors.js';
import { createApiApp, type TestApp } from '../support/app.js';
import { Objects, sha256 } from '../support/objects.js';
import { testS3 } from '../support/s3.js';

const s3 = await testS3({ fetch: false });

function tests(settings: S3Settings): void {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createApiApp({
      env: {
        S3_ENDPOINT: settings.endpoint,
        S3_REGION: settings.region,
        S3_BUCKET: settings.bucket,
        S3_ACCESS_KEY_ID: settings.accessKeyId,
        S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
        S3_FORCE_PATH_STYLE: String(settings.forcePathStyle),
      },
    });
    owner = await ownerWithProject(app);
  });
  afterAll(() => app.close());

  it('keeps the bytes of an object until the object is deleted', async () => {
    const objects = new Objects(app, owner);
    const { id, sha256: hash } = await objects.stored('reports/march.txt', 'the content');
    expect(hash).toBe(sha256('the content'));
    const link = await objects.link(id);
    expect((await app.request().get(link).expect(200)).text).toBe('the content');
    await app.request().delete(`/v1/core/objects/${id}`).set('Authorization', owner.bearer).expect(204);
    await app.request().get(link).expect(404);
  });
}

if ('absent' in s3) it.skip(`objects in S3: ${s3.absent}`, () => undefined);
else describe('S3', () => tests(s3));
