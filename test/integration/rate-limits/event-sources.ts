import { describe, expect, it } from '@jest/globals';
import { ownerWithProject } from '../../support/actors.js';
import { createApiApp } from '../../support/app.js';
import { callerOf, createSource, ingest, setPlan } from '../../support/sources.js';

const ROOT = '/v1/ingest-sources';

describe('an Event Source whose key reaches the rate limit', () => {
  it('records ingestion that the rate limit refused for the owner of the key, and no other refusal of the limit', async () => {
    const app = await createApiApp({ env: { RATE_LIMIT_OVERRIDES: 'events=1/2' } });
    try {
      const owner = await ownerWithProject(app);
      await setPlan(app, owner, 'scale');
      const { id, key } = await createSource(app, owner);
      const answers = await Promise.all(Array.from({ length: 7 }, () => ingest(app, key.key)));
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
      await app.request().get('/v1/events').set('X-API-Key', key.key).expect(429);
      for (let one = 0; one < 3; one += 1) await ingest(app, 'oes_abcdefgh_nobody');
      await app.backgroundDone();
      const call = callerOf(app, ROOT, owner);
      const { items } = (await call('get', `/${id}/failures`).expect(200)).body as { items: { count: number }[] };
      expect(items.reduce((sum, { count }) => sum + count, 0)).toBe(5);
      expect(items[0]).toMatchObject({
        api_key_id: key.id,
        reason_code: 'rate_limited',
        status_code: 429,
        request_id: expect.any(String),
      });
      expect(await app.rows('SELECT 1 FROM ingestion_failures WHERE api_key_id <> $1', [key.id])).toEqual([]);
      // What a key that has ended is refused is nobody's news.
      await callerOf(app, '/v1/api-keys', owner)('post', `/${key.id}/revoke`).expect(200);
      await ingest(app, key.key).expect(429);
      await app.backgroundDone();
      expect(await app.rows('SELECT sum(count)::int AS count FROM ingestion_failures')).toEqual([{ count: 5 }]);
    } finally {
      await app.close();
    }
  });
});
