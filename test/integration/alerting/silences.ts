import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventSubjectsReader } from '../../../src/modules/events/event-store/index.js';
import { SilencesRepository } from '../../../src/modules/alerting/alerts/silences/silences.repository.js';
import { newId } from '../../../src/platform/ids/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { type AlertEventsClient, alertEventsOf, runMaintenance } from '../../support/alert-events.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { eventually } from '../../support/service-process.js';
import { app } from '../delivery/worker-app.js';

let owner: Owner;
let alerts: AlertEventsClient;

async function newOwner(): Promise<void> {
  owner = await ownerWithProject(app);
  alerts = alertEventsOf(app, owner);
}

describe('a notification of an alert event that a rule resolves', () => {
  let receiver: Receiver;
  let rule: { id: string; cooldownSeconds: number };

  beforeEach(async () => {
    await newOwner();
    receiver = await startReceiver();
    rule = { id: newId(), cooldownSeconds: 300 };
    await alerts.http.destination(receiver.url);
  });
  afterEach(() => receiver.close());

  /** As if so much time had gone by since. */
  const goBy = async (ms: number): Promise<void> => {
    const seconds = ms / 1_000;
    await app.rows(
      `UPDATE alert_events SET snoozed_until = snoozed_until - make_interval(secs => $2),
         notice_due_at = notice_due_at - make_interval(secs => $2), notified_at = notified_at - make_interval(secs => $2)
       WHERE project_id = $1`,
      [owner.projectId, seconds],
    );
    await app.rows(
      `UPDATE alert_silences SET starts_at = starts_at - make_interval(secs => $2),
         ends_at = ends_at - make_interval(secs => $2) WHERE project_id = $1`,
      [owner.projectId, seconds],
    );
  };

  /** The maintenance job, and the end of what the service itself is at: it looks at what is due as well. */
  const tellDue = async (): Promise<void> => {
    await runMaintenance(app);
    await eventually(
      () =>
        app.rows(
          'SELECT id FROM alert_events WHERE project_id = $1 AND (snoozed_until <= now() OR notice_due_at <= now())',
          [owner.projectId],
        ),
      (due) => due.length === 0,
    );
  };

  it('is sent for a new episode when the cooldown of the last one is over, and not for the end of an unknown episode', async () => {
    const first = await alerts.fire({ rule });
    await alerts.recover(rule.id);
    const second = await alerts.fire({ rule });
    expect(second).not.toBe(first);
    expect(await alerts.notifications(second)).toEqual([]);
    await alerts.recover(rule.id);
    expect(await alerts.notifications(second)).toEqual([]);
    const flaps: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      flaps.push(await alerts.fire({ rule }));
      await alerts.recover(rule.id);
    }
    expect((await Promise.all(flaps.map((id) => alerts.notifications(id)))).flat()).toEqual([]);
    const third = await alerts.fire({ rule });
    await goBy(300_000);
    await tellDue();
    expect(await alerts.notifications(third)).toEqual([{ status: 'open', occurrences: 1 }]);
  });

  it('reports the end of an episode once when a silence is over, and not during the silence', async () => {
    const [id, reopened] = [await alerts.fire({ rule }), await alerts.fire()];
    const silence = await alerts.silence();
    const unknown = await alerts.fire();
    await alerts.recover(rule.id);
    for (const one of [reopened, unknown]) await alerts.act(one, 'resolve');
    await alerts.act(reopened, 'reopen');
    await tellDue();
    for (const one of [id, reopened]) {
      expect(await alerts.notifications(one)).toEqual([{ status: 'open', occurrences: 1 }]);
    }
    await alerts.http.send('delete', `/v1/alerts/silences/${silence.body.id}`);
    await Promise.all([tellDue(), tellDue()]);
    await receiver.requests(3);
    await tellDue();
    expect(await alerts.notifications(id)).toEqual([
      { status: 'open', occurrences: 1 },
      { status: 'resolved', occurrences: 1 },
    ]);
    expect([await alerts.notifications(unknown), await alerts.notifications(reopened)]).toEqual([
      [],
      [expect.anything()],
    ]);
  });
});

describe('a silence', () => {
  beforeEach(newOwner);

  it.each<[string, object, boolean]>([
    ['matches', { field: 'properties.shop', op: 'eq', value: 'Berlin' }, true],
    ['excludes', { not: { field: 'properties.shop', op: 'eq', value: 'Berlin' } }, false],
  ])('applies its filter to the group of the alert event when the filter %s the group', async (_, filter, isSilent) => {
    const ingested = await app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', owner.apiKey)
      .send({
        event_type: 'payment.failed',
        source: 'web',
        severity: 'error',
        environment: 'production',
        payload: { status_code: 503, card: { kind: 'debit' } },
      })
      .expect(200);
    const { ingested_event_id: eventId } = ingested.body as { ingested_event_id: string };
    const [stored] = await app.rows<{ timestamp: Date }>('SELECT timestamp FROM events WHERE id = $1', [eventId]);
    const event = { id: eventId, type: 'payment.failed', source: 'web', timestamp: stored?.timestamp ?? new Date() };
    await alerts.http.destination('http://127.0.0.1:9/');
    expect((await alerts.silence({ filter })).status).toBe(201);
    const id = await alerts.fire({ event, payload: {}, groupValues: { 'properties.shop': 'Berlin' } });
    expect(await alerts.notifications(id)).toHaveLength(isSilent ? 0 : 1);
  });

  it('is read and compiled once for all alert events, and again when it changes', async () => {
    await alerts.http.destination('http://127.0.0.1:9/');
    const ids: string[] = [];
    for (const value of ['a', 'b', 'c']) {
      const made = await alerts.silence({ filter: { field: 'message', op: 'matches', value: `^${value}$` } });
      ids.push(String(made.body.id));
    }
    const reads = jest.spyOn(app.nest.get(SilencesRepository, { strict: false }), 'filtersOf');
    try {
      const asked = (): string[][] => reads.mock.calls.map(([, some]) => [...some].sort());
      for (let at = 0; at < 3; at += 1) await alerts.fire();
      expect(asked()).toEqual([[...ids].sort()]);
      const change = { filter: { field: 'message', op: 'starts_with', value: 'Payments' } };
      expect((await alerts.http.send('patch', `/v1/alerts/silences/${ids[1]}`, change)).status).toBe(200);
      const held = await alerts.fire();
      expect(asked().slice(1)).toEqual([[ids[1]]]);
      expect(await alerts.notifications(held)).toEqual([]);
    } finally {
      reads.mockRestore();
    }
  });

  it('reads those fields of an event that its filter needs, and no other fields', async () => {
    await alerts.http.destination('http://127.0.0.1:9/');
    const ingested = await app
      .request()
      .post('/v1/events/ingest')
      .set('X-API-Key', owner.apiKey)
      .send({
        event_type: 'disk.full',
        source: 'db1',
        environment: 'staging',
        payload: { host: { name: 'db1', text: 'x' }, 'host.name': 'named', large: 'x'.repeat(100_000) },
      })
      .expect(200);
    const { ingested_event_id: event_id } = ingested.body as { ingested_event_id: string };
    const reads = jest.spyOn(app.nest.get(EventSubjectsReader, { strict: false }), 'of');
    try {
      await alerts.silence({ filter: { field: 'message', op: 'eq', value: 'Something else' } });
      expect(await alerts.notifications(String((await alerts.raise({ event_id })).body.id))).toHaveLength(1);
      expect(reads).not.toHaveBeenCalled();
      const filter = {
        all: [
          { field: 'environment', op: 'eq', value: 'staging' },
          { field: 'properties.host.name', op: 'eq', value: 'named' },
          { field: 'properties.missing', op: 'exists', value: false },
        ],
      };
      await alerts.silence({ filter });
      expect(await alerts.notifications(String((await alerts.raise({ event_id })).body.id))).toEqual([]);
      expect(await Promise.all(reads.mock.results.map(({ value }) => value))).toEqual([
        {
          fields: { environment: 'staging' },
          properties: { 'host.name': 'named', host: { name: 'db1', text: 'x' } },
        },
      ]);
    } finally {
      reads.mockRestore();
    }
  });

  it('does not delay other requests when it and 39 others have the slowest filters', async () => {
    const worst = (place: number): object => ({
      any: Array.from({ length: 20 }, (_, index) => ({
        field: 'properties.text',
        op: 'matches',
        value: `(a|b)*a[ab]{100}[^c]{${90 + (index % 10)}}c${place}-${index}`,
      })),
    });
    const filters = Array.from({ length: 40 }, (_, place) => JSON.stringify(worst(place)));
    await app.rows(
      `INSERT INTO alert_silences (id, project_id, filter, starts_at, ends_at)
       SELECT gen_random_uuid(), $1, filter, now(), now() + interval '1 hour' FROM unnest($2::json[]) AS filter`,
      [owner.projectId, filters],
    );
    await alerts.http.destination('http://127.0.0.1:9/');
    const raised = alerts.raise({ payload: { text: 'ab'.repeat(2_048) } });
    const isOver = raised.then(() => true);
    const health = async (): Promise<boolean> => {
      await app.request().get('/health').expect(200);
      return false;
    };
    let answeredMeanwhile = 0;
    while (!(await Promise.race([isOver, health()]))) answeredMeanwhile += 1;
    const { status, body } = await raised;
    expect(status).toBe(201);
    expect(await alerts.notifications(String(body.id))).toHaveLength(1);
    expect((await alerts.timeline(String(body.id))).at(-1)).toMatchObject({
      type: 'notified',
      detail: { silences_unasked: true },
    });
    expect(await app.metrics()).toMatch(/^oes_alert_notices_despite_silences_total [1-9]/m);
    expect(answeredMeanwhile).toBeGreaterThan(5);
  });
});
