import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { callerOf, createSource, ingest, type KeyRecord, setPlan, type Verb } from '../../support/sources.js';
import { withinAnHour } from '../../support/utc-day.js';
import type { Instances } from './instances.js';

const ROOT = '/v1/ingest-sources';

export function describeEventSources(instances: () => Instances): void {
  describe('an Event Source', () => {
    let app: TestApp;
    let second: TestApp;
    let owner: Owner;

    beforeAll(() => {
      ({ app, second } = instances());
    });
    beforeEach(async () => {
      owner = await ownerWithProject(app);
      await setPlan(app, owner, 'scale');
    });

    const call = (verb: Verb, rest = '', body?: object): Test => callerOf(app, ROOT, owner)(verb, rest, body);
    const acts = async (): Promise<object[]> =>
      app.rows(
        `SELECT action, detail FROM audit_events WHERE project_id = $1 AND target_type = 'event_source' ORDER BY created_at, id`,
        [owner.projectId],
      );

    it('refuses its keys while it is disabled, here and on another instance, and records the refusals', async () => {
      await withinAnHour();
      const { key: first, ...source } = await createSource(app, owner);
      const other = (
        await call('post', `/${source.id}/keys`, { name: 'Other', scopes: ['events:read', 'events:write'] })
      ).body as KeyRecord;
      const answered = (status: number): Promise<number> =>
        eventually(
          async () => (await ingest(second, first.key)).status,
          (last) => last === status,
        );
      await ingest(second, first.key).expect(200);
      await ingest(app, first.key).expect(200);
      const disabled = { ...source, is_enabled: false, last_event_at: expect.stringMatching(/Z$/) as unknown };
      expect((await call('post', `/${source.id}/disable`).expect(200)).body).toEqual(disabled);
      expect((await call('post', `/${source.id}/disable`).expect(200)).body).toEqual(disabled);
      await ingest(app, first.key).set('X-Request-ID', 'refused-1').expect(403, { detail: 'Event source is disabled' });
      await ingest(app, other.key).expect(403, { detail: 'Event source is disabled' });
      await app.request().post('/v1/events/ingest').set('X-API-Key', first.key).send({}).expect(403);
      // Requests that ingest nothing are still answered.
      await app.request().get('/v1/usage/current').set('X-API-Key', other.key).expect(200);
      await app.request().get('/v1/api-keys/me').set('X-API-Key', first.key).expect(200);
      await ingest(app, owner.apiKey).expect(200);
      await answered(403);
      await app.backgroundDone();
      await second.backgroundDone();

      const { items, total, limit, offset } = (await call('get', `/${source.id}/failures`).expect(200)).body as {
        items: { api_key_id: string; count: number; request_id: string }[];
        total: number;
        limit: number;
        offset: number;
      };
      expect({ total, limit, offset }).toEqual({ total: 2, limit: 50, offset: 0 });
      const record = (id: string, count: number): object => ({
        api_key_id: id,
        reason_code: 'source_disabled',
        status_code: 403,
        occurred_at: expect.stringMatching(/Z$/),
        request_id: expect.any(String),
        count,
      });
      const counts = new Map(items.map((item) => [item.api_key_id, item]));
      expect(counts.get(other.id)).toEqual(record(other.id, 1));
      expect(counts.get(first.id)).toEqual(record(first.id, counts.get(first.id)?.count ?? 0));
      expect(counts.get(first.id)?.count).toBeGreaterThanOrEqual(3);

      const enabled = { ...disabled, is_enabled: true };
      expect((await call('post', `/${source.id}/enable`).expect(200)).body).toEqual(enabled);
      expect((await call('post', `/${source.id}/enable`).expect(200)).body).toEqual(enabled);
      await ingest(app, first.key).expect(200);
      await answered(200);
      expect((await acts()).slice(1)).toEqual([
        { action: 'event_source.disabled', detail: { name: 'Checkout' } },
        { action: 'event_source.enabled', detail: { name: 'Checkout' } },
      ]);
    });
  });
}
