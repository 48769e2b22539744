import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ownerWithProject } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';

describe('the meter of requests', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createApiApp();
  });
  afterAll(() => app.close());

  it('writes what it has counted when its process stops', async () => {
    const second = await createApiApp({ databaseUrl: app.databaseUrl });
    const fresh = await ownerWithProject(app);
    for (let index = 0; index < 7; index += 1)
      await second.request().get('/v1/api-keys/me').set('X-API-Key', fresh.apiKey).expect(200);
    await second.close();
    const rows = await app.rows('SELECT requests::int FROM usage_daily WHERE project_id = $1', [fresh.projectId]);
    expect(rows).toEqual([{ requests: 7 }]);
    const [key] = await app.rows<{ last_used_at: Date | null }>('SELECT last_used_at FROM api_keys WHERE id = $1', [
      fresh.apiKeyId,
    ]);
    expect(key?.last_used_at).toBeInstanceOf(Date);
  });

  it('lets a request succeed when the table it writes to is gone', async () => {
    const fresh = await ownerWithProject(app);
    await app.rows('ALTER TABLE usage_daily RENAME TO usage_elsewhere');
    await app.request().get('/v1/api-keys/me').set('X-API-Key', fresh.apiKey).expect(200);
  });
});
