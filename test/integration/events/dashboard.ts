import { DiscoveryService } from '@nestjs/core';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DeliveryCounts, type DeliveryTotals, OpenAlerts } from '../../../src/modules/events/dashboard/index.js';
import { RelatedAlerts, type WrittenAlerts } from '../../../src/modules/events/explorer/index.js';
import { writeList, writeObject } from '../../../src/platform/http/written-json.js';
import { newId } from '../../../src/platform/ids/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { app } from './api-app.js';

const AT = '2026-01-01T00:00:00.000Z';
const ALERT = {
  id: newId(),
  alert_rule_id: null,
  rule_name: null,
  project_id: newId(),
  event_id: null,
  event_type: null,
  source: null,
  severity: 'info',
  status: 'open',
  message: 'Payment failed',
  payload: {},
  fingerprint: 'print',
  group_values: {},
  occurrences: 1,
  assignee_id: null,
  snoozed_until: null,
  created_at: AT,
  last_occurred_at: AT,
  acknowledged_at: null,
  resolved_at: null,
};

describe('the events module', () => {
  let owner: Owner;

  beforeAll(async () => {
    owner = await ownerWithProject(app);
  });

  const get = () => app.request().get(`/v1/projects/${owner.projectId}/dashboard`).set('Authorization', owner.bearer);
  const ingest = (key: string, body: object = {}) =>
    app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', key)
      .send({ event_type: 'e', source: 's', ...body })
      .expect(200);

  it('shows what other modules provide of open alerts, deliveries and the alerts of an event', async () => {
    class Alerts extends OpenAlerts {
      countOpen(): Promise<number> {
        return Promise.resolve(3);
      }
    }
    class Deliveries extends DeliveryCounts {
      count(): Promise<DeliveryTotals> {
        return Promise.resolve({ sent: 5, failed: 2, dlq: 1 });
      }
    }
    class Related extends RelatedAlerts {
      ofEvent(_: unknown, eventId: string): Promise<WrittenAlerts> {
        return Promise.resolve({ list: writeList([writeObject({ ...ALERT, event_id: eventId })]), bytes: 0 });
      }
    }
    const discovery = app.nest.get(DiscoveryService, { strict: false });
    const known = discovery.getProviders();
    const added = [new Alerts(), new Deliveries(), new Related()].map((instance) => ({ instance }));
    const provided = jest
      .spyOn(discovery, 'getProviders')
      .mockReturnValue([...(added as unknown as typeof known), ...known]);

    expect((await get().expect(200)).body).toMatchObject({
      open_alerts: 3,
      deliveries: { sent: 5, failed: 2, dlq: 1 },
    });
    const { body } = await ingest(owner.apiKey);
    const eventId = (body as { ingested_event_id: string }).ingested_event_id;
    const detail = await app
      .request()
      .get(`/v1/projects/${owner.projectId}/events/${eventId}`)
      .set('Authorization', owner.bearer)
      .expect(200);
    expect(detail.body).toMatchObject({ id: eventId, related_alerts: [{ ...ALERT, event_id: eventId }] });
    provided.mockRestore();
  });
});
