import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { ownerWithProject } from '../../support/actors.js';
import { createApiApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { app } from './api-app.js';

describe('the meter of requests', () => {
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

  it('lets a request succeed when the table it writes to is gone, and keeps the count until the table is back', async () => {
    const fresh = await ownerWithProject(app);
    const logged = app.logLines.length;
    await app.rows('ALTER TABLE usage_daily RENAME TO usage_elsewhere');
    try {
      await app.request().get('/v1/api-keys/me').set('X-API-Key', fresh.apiKey).expect(200);
      await eventually(
        () => app.logLines.slice(logged).join(''),
        (lines) => lines.includes('request counts were not written and are kept'),
      );
    } finally {
      await app.rows('ALTER TABLE usage_elsewhere RENAME TO usage_daily');
    }
    await eventually(
      () => app.rows('SELECT requests::int FROM usage_daily WHERE project_id = $1', [fresh.projectId]),
      (rows) => isDeepStrictEqual(rows, [{ requests: 1 }]),
    );
  });
});
