import { describe, expect, it } from '@jest/globals';
import { ownerWithProject } from '../../support/actors.js';
import { callerOf, createSource, setPlan } from '../../support/sources.js';
import { app } from './api-app.js';

describe('an Event Source with few events in a busy project', () => {
  it('finds its events along an index of their own', async () => {
    const owner = await ownerWithProject(app);
    await setPlan(app, owner, 'scale');
    const source = await createSource(app, owner);
    await app.rows(
      `INSERT INTO events (project_id, "timestamp", id, source_id, event, source, properties, log_method,
                           log_endpoint, log_status, log_latency_ms, created_at)
       SELECT $1, now() - n * interval '1 second', gen_random_uuid(), CASE WHEN n % 4000 = 0 THEN $2::uuid END, 'a',
              'shop', '{}', 'EVENT', '/', 200, 0, now() FROM generate_series(1, 20000) n`,
      [owner.projectId, source.id],
    );
    await app.rows('ANALYZE events');
    for (const before of ['', `AND "timestamp" <= now() AND ("timestamp", id) < (now(), gen_random_uuid())`]) {
      const plan = await app.rows<{ 'QUERY PLAN': string }>(
        `EXPLAIN (COSTS OFF) SELECT id, properties FROM events WHERE project_id = $1 AND source_id = $2 ${before}
         ORDER BY "timestamp" DESC, id DESC LIMIT 51`,
        [owner.projectId, source.id],
      );
      const text = plan.map((line) => line['QUERY PLAN']).join('\n');
      expect(text).toMatch(/events_\d{4}_\d\d_project_id_source_id_timestamp/);
    }
    const { body } = await callerOf(app, `/v1/ingest-sources/${source.id}`, owner)('get', '/events').expect(200);
    expect((body as { items: object[] }).items).toHaveLength(5);
  });
});
