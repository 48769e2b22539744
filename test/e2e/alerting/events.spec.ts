import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DueAlertsRunner } from '../../../src/modules/alerting/alerts/engine/due-alerts-runner.js';
import { AlertReadsRepository } from '../../../src/modules/alerting/alerts/events/alert-reads.repository.js';
import { newId } from '../../../src/platform/ids/index.js';
import { type Actor, addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { type AlertEventsClient, alertEventsOf, runMaintenance } from '../../support/alert-events.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV, type Json } from '../../support/delivery.js';
import { StreamClient } from '../../support/event-stream.js';

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();
/** Nothing is looked at by itself. */
const ENV = { ...DELIVERY_ENV, PROCESS_ROLE: 'api' };
const NOWHERE = 'http://127.0.0.1:9/';

describe('alert events', () => {
  let app: TestApp;
  let owner: Owner;
  let member: Actor;
  let alerts: AlertEventsClient;

  beforeAll(async () => {
    app = await createTestApp({ env: ENV });
    member = await addMember(app, await ownerWithProject(app), 'member');
  });
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    alerts = alertEventsOf(app, owner);
  });
  afterAll(() => app.close());

  const join = async (role: string): Promise<Actor> => addMember(app, owner, role);
  /** Takes a snooze, a cooldown or what is due back in time. */
  const pastDue = (id: string): Promise<unknown> =>
    app.rows(
      `UPDATE alert_events SET snoozed_until = snoozed_until - interval '1 day', notice_due_at = notice_due_at - interval '1 day',
         notified_at = notified_at - interval '1 day' WHERE id = $1`,
      [id],
    );

  describe('raised by rules', () => {
    it('show what began them and count what repeats', async () => {
      const rule = { id: newId() };
      const event = { id: newId(), type: 'payment.failed', source: 'checkout', timestamp: new Date() };
      const id = await alerts.fire({ rule, event, groupValues: { source: 'checkout' } });
      const answer = await alerts.http.send('get', `/v1/alerts/events/${id}`);
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          id,
          alert_rule_id: rule.id,
          rule_name: 'Payments fail',
          project_id: owner.projectId,
          event_id: event.id,
          event_type: 'payment.failed',
          source: 'checkout',
          severity: 'critical',
          status: 'open',
          message: 'Payments fail: card declined',
          payload: { amount: 120 },
          fingerprint: `${rule.id} default`,
          group_values: { source: 'checkout' },
          occurrences: 1,
          assignee_id: null,
          snoozed_until: null,
          created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
          last_occurred_at: expect.stringMatching(/Z$/),
          acknowledged_at: null,
          resolved_at: null,
        },
      ]);
      expect(await alerts.fire({ rule, occurrences: 7, message: 'later', payload: {} })).toBe(id);
      expect(await alerts.get(id)).toMatchObject({
        ...answer.body,
        occurrences: 8,
        last_occurred_at: expect.anything(),
      });
      expect(await alerts.fire({ rule, fingerprint: 'another group' })).not.toBe(id);
    });

    it('go on when the rule says so, and begin anew when they were resolved meanwhile', async () => {
      const rule = { id: newId() };
      const id = await alerts.fire({ rule });
      expect(await alerts.fire({ rule, continues: true })).toBe(id);
      expect((await alerts.get(id)).occurrences).toBe(1);
      await alerts.act(id, 'resolve');
      const next = await alerts.fire({ rule, continues: true });
      expect(next).not.toBe(id);
      expect((await alerts.get(next)).status).toBe('open');
    });

    it('end with the recovery of their rule, and the next match begins another', async () => {
      const rule = { id: newId() };
      const id = await alerts.fire({ rule });
      await alerts.recover(newId(), `${rule.id} default`);
      expect((await alerts.get(id)).status).toBe('open');
      await alerts.recover(rule.id);
      await alerts.recover(rule.id);
      expect(await alerts.get(id)).toMatchObject({ status: 'resolved', resolved_at: expect.any(String) });
      const [, resolved] = await alerts.timeline(id);
      expect(resolved).toMatchObject({ type: 'resolved', actor: null, detail: { by: 'rule' } });
      const next = await alerts.fire({ rule });
      expect(next).not.toBe(id);
      expect(await alerts.get(next)).toMatchObject({ status: 'open', occurrences: 1, acknowledged_at: null });
    });

    it('count exactly when many come at once, on several instances', async () => {
      const other = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir, env: ENV });
      try {
        await alerts.http.destination(NOWHERE);
        const instances = [alerts, alertEventsOf(other, owner)];
        const rule = { id: newId(), cooldownSeconds: 300 };
        const ids = await Promise.all(
          Array.from({ length: 40 }, async (_, n) => instances[n % 2]?.fire({ rule, occurrences: n + 1 })),
        );
        expect(new Set(ids).size).toBe(1);
        const { items, total } = await alerts.list();
        expect([total, items[0].occurrences]).toEqual([1, (40 * 41) / 2]);
        expect(await alerts.notices(items[0].id)).toHaveLength(1);
        expect(await alerts.types(items[0].id)).toEqual(['opened', 'notified']);
      } finally {
        await other.close();
      }
    });

    it('tell the newest occurrence, and of the end what it was and after how long it came', async () => {
      await alerts.http.destination(NOWHERE);
      const rule = { id: newId(), cooldownSeconds: 0 };
      const event = (n: number) => ({
        id: newId(),
        type: `payment.failed.${n}`,
        source: `s${n}`,
        timestamp: new Date(),
      });
      const [first, second, third] = [event(1), event(2), event(3)] as const;
      const id = await alerts.fire({ rule, event: first, message: 'Payments fail: one', payload: { n: 1 } });
      await alerts.fire({ rule, event: second, message: 'Payments fail: two', payload: { n: 2 } });
      const newest = {
        eventId: third.id,
        eventType: third.type,
        source: third.source,
        sourceId: null,
        message: 'Payments fail: three',
        payload: { n: 3 },
      };
      await alerts.fire({ rule, event: event(0), message: 'Payments fail: zero', payload: {}, newest, occurrences: 2 });
      await app.rows(`UPDATE alert_events SET created_at = created_at - interval '2 hours 5 minutes' WHERE id = $1`, [
        id,
      ]);
      await alerts.act(id, 'resolve');
      const told = await app.rows<Json>(
        `SELECT notice ->> 'status' AS status, notice ->> 'eventId' AS event, notice ->> 'eventType' AS type,
                notice ->> 'source' AS source, notice ->> 'message' AS message, notice -> 'payload' AS payload
         FROM alert_notices WHERE alert_event_id = $1 ORDER BY created_at`,
        [id],
      );
      const of = ({ id: eventId, type, source }: { id: string; type: string; source: string }, n: number) => ({
        event: eventId,
        type,
        source,
        payload: { n },
      });
      expect(told).toEqual([
        { ...of(first, 1), status: 'open', message: 'Payments fail: one' },
        { ...of(second, 2), status: 'open', message: 'Payments fail: two' },
        { ...of(third, 3), status: 'open', message: 'Payments fail: three' },
        { ...of(third, 3), status: 'resolved', message: 'Payments fail: Resolved after 2 h 5 min: three' },
      ]);
      // The alert event keeps what began it.
      expect(await alerts.get(id)).toMatchObject({
        event_id: first.id,
        message: 'Payments fail: one',
        payload: { n: 1 },
      });
    });

    it('lose and double nothing while others resolve and recover them', async () => {
      const rule = { id: newId() };
      const work = Array.from({ length: 60 }, async (_, n) => {
        if (n % 3 > 0) await alerts.fire({ rule, occurrences: 2 });
        else if (n % 2 === 0) await alerts.recover(rule.id);
        else {
          const { items } = await alerts.list({ status: 'open' });
          if (items[0] !== undefined) await alerts.act(items[0].id, 'resolve');
        }
      });
      await Promise.all(work);
      const { items } = await alerts.list({ limit: 100 });
      expect(items.reduce((sum: number, item: Json) => sum + Number(item.occurrences), 0)).toBe(80);
      expect(items.filter(({ status }: Json) => status !== 'resolved').length).toBeLessThanOrEqual(1);
      for (const { id, status } of items) {
        const types = (await alerts.types(id)).filter((type) => type === 'opened' || type === 'resolved');
        expect(types).toEqual(status === 'resolved' ? ['opened', 'resolved'] : ['opened']);
      }
    });
  });

  describe('in the hands of people', () => {
    it('move by the table, with a timeline that says who', async () => {
      const id = await alerts.fire();
      const colleague = await join('member');
      const theirs = alerts.as(colleague);
      expect((await theirs.act(id, 'acknowledge', { note: 'On it' })).body).toMatchObject({
        id,
        status: 'acknowledged',
        acknowledged_at: expect.any(String),
      });
      const until = inAnHour();
      expect((await theirs.act(id, 'snooze', { until })).body).toMatchObject({
        status: 'snoozed',
        snoozed_until: until,
      });
      expect((await theirs.act(id, 'acknowledge')).body).toMatchObject({ status: 'acknowledged', snoozed_until: null });
      expect((await theirs.act(id, 'comments', { body: ' Grüße ' })).body).toMatchObject({
        id,
        status: 'acknowledged',
      });
      expect((await theirs.act(id, 'assign', { user_id: owner.id })).body.assignee_id).toBe(owner.id);
      expect((await theirs.act(id, 'assign', { user_id: owner.id })).status).toBe(200);
      expect((await alerts.act(id, 'resolve', { note: 'Fixed' })).body).toMatchObject({
        status: 'resolved',
        resolved_at: expect.any(String),
      });
      expect((await alerts.act(id, 'assign', { user_id: null })).body.assignee_id).toBeNull();
      expect((await alerts.act(id, 'reopen', {})).body).toMatchObject({
        status: 'open',
        acknowledged_at: null,
        resolved_at: null,
      });
      const timeline = await alerts.timeline(id);
      const them = { user_id: colleague.id, display_name: expect.stringMatching(/^u\*\*\*@/) };
      const us = { user_id: owner.id, display_name: expect.any(String) };
      expect(timeline.map(({ type, actor, body, detail }) => [type, actor, body, detail])).toEqual([
        ['opened', null, null, { occurrences: 1 }],
        ['acknowledged', them, 'On it', {}],
        ['snoozed', them, null, { until }],
        ['acknowledged', them, null, {}],
        ['commented', them, 'Grüße', {}],
        ['assigned', them, null, { assignee_id: owner.id }],
        ['resolved', us, 'Fixed', {}],
        ['unassigned', us, null, { assignee_id: owner.id }],
        ['reopened', us, null, {}],
      ]);
      expect(timeline.map((entry) => entry.created_at)).toEqual([...timeline.map((entry) => entry.created_at)].sort());
      const audited = await app.rows<{ action: string }>(
        `SELECT action FROM audit_events WHERE target_id = $1 ORDER BY created_at, id`,
        [id],
      );
      expect(audited.map(({ action }) => action.replace('alert_event.', '')).sort()).toEqual(
        timeline
          .slice(1)
          .map(({ type }) => type as string)
          .sort(),
      );
    });

    it.each([
      ['open', 'reopen', 'Alert event is not resolved'],
      ['acknowledged', 'acknowledge', 'Alert event is already acknowledged'],
      ['acknowledged', 'reopen', 'Alert event is not resolved'],
      ['snoozed', 'snooze', 'Alert event is already snoozed'],
      ['snoozed', 'reopen', 'Alert event is not resolved'],
      ['resolved', 'acknowledge', 'Alert event is resolved'],
      ['resolved', 'snooze', 'Alert event is resolved'],
      ['resolved', 'resolve', 'Alert event is resolved'],
    ])('refuse when %s to %s', async (status, action, detail) => {
      const id = await alerts.fire();
      const act = { acknowledged: 'acknowledge', snoozed: 'snooze', resolved: 'resolve' }[status];
      if (act !== undefined) expect((await alerts.act(id, act, { until: inAnHour() })).status).toBe(200);
      const before = [await alerts.get(id), await alerts.timeline(id)];
      const answer = await alerts.act(id, action, { until: inAnHour() });
      expect([answer.status, answer.body]).toEqual([409, { detail }]);
      expect([await alerts.get(id), await alerts.timeline(id)]).toEqual(before);
    });

    it.each([
      ['acknowledge', undefined, 'acknowledged'],
      ['resolve', undefined, 'resolved'],
      ['snooze', { until: new Date(Date.now() + 3_600_000).toISOString() }, 'snoozed'],
    ])('take one %s of twenty at once', async (action, body, type) => {
      await alerts.http.destination(NOWHERE);
      const id = await alerts.fire();
      const answers = await Promise.all(Array.from({ length: 20 }, () => alerts.act(id, action, body)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(409)]);
      expect((await alerts.types(id)).filter((one) => one === type)).toHaveLength(1);
      expect((await alerts.notices(id)).filter(({ status }) => status === 'resolved')).toHaveLength(
        action === 'resolve' ? 1 : 0,
      );
    });

    it('are not reopened beside a newer one', async () => {
      const rule = { id: newId() };
      const id = await alerts.fire({ rule });
      await alerts.act(id, 'resolve');
      const newer = await alerts.fire({ rule });
      const answer = await alerts.act(id, 'reopen');
      expect([answer.status, answer.body]).toEqual([
        409,
        { detail: 'A newer alert event of the same fingerprint is unresolved' },
      ]);
      expect(await alerts.types(id)).toEqual(['opened', 'resolved']);
      await alerts.act(newer, 'resolve');
      expect((await alerts.act(id, 'reopen')).status).toBe(200);
      expect(await alerts.fire({ rule })).toBe(id);
    });

    it('wake by themselves: at once for readers, and by maintenance for the timeline', async () => {
      const id = await alerts.fire();
      const until = inAnHour();
      await alerts.act(id, 'acknowledge');
      await alerts.act(id, 'snooze', { until });
      await runMaintenance(app);
      expect((await alerts.get(id)).status).toBe('snoozed');
      await pastDue(id);
      expect(await alerts.get(id)).toMatchObject({ status: 'open', snoozed_until: null });
      expect((await alerts.list({ status: 'open' })).total).toBe(1);
      expect((await alerts.list({ status: 'snoozed' })).total).toBe(0);
      expect((await alerts.ask('/summary')).body.by_status).toEqual({
        open: 1,
        acknowledged: 0,
        snoozed: 0,
        resolved: 0,
      });
      expect(await alerts.types(id)).not.toContain('snooze_ended');
      await Promise.all([runMaintenance(app), runMaintenance(app)]);
      const ended = (await alerts.timeline(id)).filter(({ type }) => type === 'snooze_ended');
      expect(ended).toEqual([
        expect.objectContaining({
          actor: null,
          created_at: new Date(new Date(until).getTime() - 86_400_000).toISOString(),
        }),
      ]);
      expect((await alerts.act(id, 'snooze', { until })).status).toBe(200);
    });

    it('are looked at oldest first, and those of one project keep no others waiting', async () => {
      const other = alertEventsOf(app, await ownerWithProject(app));
      const ids: string[] = [];
      for (let n = 0; n < 110; n += 1) ids.push(await alerts.fire());
      const late = await other.fire();
      const due = (of: readonly string[], ago: string): Promise<unknown> =>
        app.rows(
          `UPDATE alert_events a SET told_occurrences = 0, notice_due_at = now() - $2::interval + n * interval '1 second'
           FROM unnest($1::uuid[]) WITH ORDINALITY AS o (id, n) WHERE a.id = o.id`,
          [of, ago],
        );
      await due(ids, '1 day');
      await due([late], '1 minute');
      const left = async (): Promise<unknown[]> =>
        (
          await app.rows<{ id: string }>(
            'SELECT id FROM alert_events WHERE id = ANY ($1) AND told_occurrences = 0 ORDER BY notice_due_at',
            [[...ids, late]],
          )
        ).map(({ id }) => id);
      const runner = app.nest.get(DueAlertsRunner, { strict: false });
      expect(await runner.run()).toBe(101);
      expect(await left()).toEqual(ids.slice(100));
      expect(await Promise.all([runner.run(), runner.run()]).then(([a, b]) => a + b)).toBe(10);
      expect([await runner.run(), await left()]).toEqual([0, []]);
    });

    it('wake before whoever comes first after the end of a snooze', async () => {
      const id = await alerts.fire();
      await alerts.act(id, 'snooze', { until: inAnHour() });
      await pastDue(id);
      expect((await alerts.act(id, 'snooze', { until: inAnHour() })).status).toBe(200);
      expect(await alerts.types(id)).toEqual(['opened', 'snoozed', 'snooze_ended', 'snoozed']);
    });

    it('refuse bad input', async () => {
      const id = await alerts.fire();
      const refusals = [
        await alerts.act(id, 'snooze', {}),
        await alerts.act(id, 'snooze', { until: new Date(Date.now() - 1_000).toISOString() }),
        await alerts.act(id, 'snooze', { until: '2999-01-01T00:00:00Z' }),
        await alerts.act(id, 'snooze', { until: 'soon' }),
        await alerts.act(id, 'assign', {}),
        await alerts.act(id, 'assign', { user_id: 'x' }),
        await alerts.act(id, 'comments', { body: '  ' }),
        await alerts.act(id, 'comments', {}),
        await alerts.act(id, 'acknowledge', { note: 'x'.repeat(2_001) }),
        await alerts.act('nonsense', 'acknowledge'),
      ];
      expect(refusals.map(({ status }) => status)).toEqual(Array(refusals.length).fill(422));
      expect(refusals[1]?.body.detail).toEqual([
        expect.objectContaining({
          type: 'value_error',
          loc: ['body', 'until'],
          msg: 'Value error, until must lie in the future',
        }),
      ]);
      const stranger = await alerts.act(id, 'assign', { user_id: member.id });
      expect([stranger.status, stranger.body]).toEqual([409, { detail: 'User is not a project member' }]);
      expect((await alerts.act(id, 'assign', { user_id: newId() })).status).toBe(409);
      const missing = await alerts.act(newId(), 'resolve');
      expect([missing.status, missing.body]).toEqual([404, { detail: 'Alert event not found' }]);
      expect(await alerts.types(id)).toEqual(['opened']);
    });

    it('belong to members; viewers see them, others do not', async () => {
      const id = await alerts.fire();
      const viewer = alerts.as(await join('viewer'));
      expect((await viewer.get(id)).id).toBe(id);
      expect(await viewer.types(id)).toEqual(['opened']);
      for (const answer of [
        await viewer.act(id, 'acknowledge'),
        await viewer.act(id, 'comments', { body: 'x' }),
        await alerts.as(await join('member')).raise(),
      ]) {
        expect([answer.status, answer.body]).toEqual([403, { detail: 'Insufficient project role' }]);
      }
      for (const answer of [
        await alerts.as(member).act(id, 'acknowledge'),
        await alerts.as(member).http.send('get', `/v1/alerts/events/${id}/timeline`),
      ]) {
        expect([answer.status, answer.body]).toEqual([404, { detail: 'Alert event not found' }]);
      }
      expect((await alerts.as(member).ask('/events')).status).toBe(403);
    });

    it('keep nobody who has deleted their account', async () => {
      const id = await alerts.fire();
      const leaving = await join('member');
      await alerts.act(id, 'assign', { user_id: leaving.id });
      await alerts.as(leaving).act(id, 'acknowledge');
      await app.rows('DELETE FROM users WHERE id = $1', [leaving.id]);
      expect((await alerts.get(id)).assignee_id).toBeNull();
      expect((await alerts.timeline(id)).at(-1)?.actor).toEqual({ user_id: leaving.id, display_name: null });
    });
  });

  describe('many at once', () => {
    const bulk = (who: AlertEventsClient, body: object) => who.http.send('post', '/v1/alerts/events/bulk', body);

    it('are acknowledged or resolved with a result for each', async () => {
      const [open, acknowledged, resolved] = [await alerts.fire(), await alerts.fire(), await alerts.fire()];
      await alerts.act(acknowledged, 'acknowledge');
      await alerts.act(resolved, 'resolve');
      const elsewhere = await alertEventsOf(app, await ownerWithProject(app)).fire();
      const missing = newId();
      const ids = [open, acknowledged, resolved, missing, elsewhere, open];
      const answer = await bulk(alerts, { ids, action: 'acknowledge', note: 'All of them' });
      const done = { id: open, ok: true, detail: null };
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          results: [
            done,
            { id: acknowledged, ok: false, detail: 'Alert event is already acknowledged' },
            { id: resolved, ok: false, detail: 'Alert event is resolved' },
            { id: missing, ok: false, detail: 'Alert event not found' },
            { id: elsewhere, ok: false, detail: 'Alert event not found' },
            done,
          ],
        },
      ]);
      expect((await alerts.timeline(open)).at(-1)).toMatchObject({ type: 'acknowledged', body: 'All of them' });
      const viewer = alerts.as(await join('viewer'));
      expect((await bulk(viewer, { ids: [open], action: 'resolve' })).body.results).toEqual([
        { id: open, ok: false, detail: 'Insufficient project role' },
      ]);
      expect((await bulk(alerts, { ids: [open, acknowledged], action: 'resolve' })).body.results).toMatchObject([
        { ok: true },
        { ok: true },
      ]);
    });

    it('go on after a fault with one of them, which has a result too', async () => {
      const [before, faulty, after] = [await alerts.fire(), await alerts.fire(), await alerts.fire()];
      await app.rows(`ALTER TABLE alert_events ADD CONSTRAINT fault CHECK (id <> '${faulty}' OR status = 'open')`);
      const answer = await bulk(alerts, { ids: [before, faulty, after], action: 'resolve' });
      await app.rows('ALTER TABLE alert_events DROP CONSTRAINT fault');
      expect([answer.status, answer.body.results]).toEqual([
        200,
        [
          { id: before, ok: true, detail: null },
          { id: faulty, ok: false, detail: 'Internal Server Error' },
          { id: after, ok: true, detail: null },
        ],
      ]);
      expect([await alerts.types(faulty), (await alerts.get(after)).status]).toEqual([['opened'], 'resolved']);
    });

    it('are refused as a whole when the request makes no sense', async () => {
      for (const body of [
        {},
        { ids: [], action: 'resolve' },
        { ids: ['x'], action: 'resolve' },
        { ids: [newId()], action: 'snooze' },
        { ids: Array.from({ length: 101 }, () => newId()), action: 'resolve' },
      ]) {
        expect((await bulk(alerts, body)).status).toBe(422);
      }
    });
  });

  describe('raised by hand', () => {
    it('are told to the project and live like others', async () => {
      const destination = await alerts.http.destination(NOWHERE);
      const answer = await alerts.raise({ severity: 'info', source: 'me', payload: { why: 'drill' } });
      expect([answer.status, answer.body]).toEqual([
        201,
        expect.objectContaining({
          alert_rule_id: null,
          rule_name: null,
          event_id: null,
          event_type: null,
          source: 'me',
          severity: 'info',
          status: 'open',
          message: 'By hand',
          payload: { why: 'drill' },
          fingerprint: expect.stringMatching(/^manual:/),
          occurrences: 1,
        }),
      ]);
      const { id } = answer.body as { id: string };
      expect((await alerts.http.deliveries({ alert_event_id: id })).items).toMatchObject([
        { destination_id: destination },
      ]);
      const [opened, notified] = await alerts.timeline(id);
      expect(opened).toMatchObject({ type: 'opened', actor: { user_id: owner.id } });
      expect(notified).toMatchObject({ type: 'notified', detail: { occurrences: 1, deliveries: 1, status: 'open' } });
      expect((await alerts.raise()).body.id).not.toBe(id);
      expect((await alerts.act(id, 'resolve')).body.status).toBe('resolved');
      expect(await alerts.notices(id)).toMatchObject([{ status: 'open' }, { status: 'resolved' }]);
    });

    it('count together under a fingerprint', async () => {
      const first = await alerts.raise({ fingerprint: 'disk full', severity: 'critical' });
      const second = await alerts.raise({ fingerprint: 'disk full' });
      expect([second.status, second.body.id, second.body.occurrences]).toEqual([201, first.body.id, 2]);
      expect(second.body.fingerprint).toBe('manual:disk full');
    });

    it('may be about an event of the project alone', async () => {
      const ingested = await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', owner.apiKey)
        .send({ event_type: 'disk.full', source: 'db1' })
        .expect(200);
      const { ingested_event_id: event_id } = ingested.body as { ingested_event_id: string };
      const { body } = await alerts.raise({ event_id, source: 'db' });
      expect(body).toMatchObject({ event_id, event_type: 'disk.full', source: 'db' });
      const stranger = alertEventsOf(app, await ownerWithProject(app));
      const refused = await stranger.raise({ event_id });
      expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['body', 'event_id']]);

      const detail = await alerts.http.send('get', `/v1/projects/${owner.projectId}/events/${event_id}`);
      expect(detail.body.related_alerts).toEqual([body]);
      const dashboard = await alerts.http.send('get', `/v1/projects/${owner.projectId}/dashboard`);
      expect(dashboard.body.open_alerts).toBe(1);
      await alerts.act(body.id as string, 'acknowledge');
      const after = await alerts.http.send('get', `/v1/projects/${owner.projectId}/dashboard`);
      expect(after.body.open_alerts).toBe(0);
    });

    it('refuse bad input', async () => {
      for (const body of [
        { message: '' },
        { message: undefined },
        { message: 'x'.repeat(501) },
        { severity: 'fatal' },
        { payload: [] },
        { payload: { text: 'x'.repeat(20_000) } },
        { event_id: newId() },
        { fingerprint: '' },
      ]) {
        expect([body, (await alerts.raise(body)).status]).toEqual([body, 422]);
      }
      expect((await alerts.list()).total).toBe(0);
    });
  });

  describe('looked for', () => {
    it('by status, severity, rule, assignee, event, fingerprint, text and time, newest first, by pages', async () => {
      const rule = { id: newId(), severity: 'warning' as const };
      const event = { id: newId(), type: 'job.failed', source: 'Cron', timestamp: new Date() };
      const [a, b, c] = [
        await alerts.fire({ rule, event, message: '100% of jobs' }),
        await alerts.fire({ message: 'b' }),
        await alerts.fire({ rule: { name: 'Queue', severity: 'info' }, message: 'c', event: null }),
      ];
      await alerts.act(b, 'assign', { user_id: owner.id });
      await alerts.act(c, 'resolve');
      const found = async (query: Readonly<Record<string, string | number>>): Promise<string[]> =>
        (await alerts.list(query)).items.map(({ id }: Json) => id);
      expect(await found({})).toEqual([c, b, a]);
      expect(await found({ status: 'open' })).toEqual([b, a]);
      expect(await found({ status: 'resolved' })).toEqual([c]);
      expect(await found({ severity: 'info' })).toEqual([c]);
      expect(await found({ alert_rule_id: rule.id })).toEqual([a]);
      expect(await found({ assignee_id: owner.id })).toEqual([b]);
      expect(await found({ event_id: event.id })).toEqual([a]);
      expect(await found({ fingerprint: `${rule.id} default` })).toEqual([a]);
      expect(await found({ query: '100% OF' })).toEqual([a]);
      expect(await found({ query: 'cron' })).toEqual([a]);
      expect(await found({ query: 'queue' })).toEqual([c]);
      expect(await found({ query: '_' })).toEqual([]);
      await app.rows(`UPDATE alert_events SET created_at = created_at - interval '2 days' WHERE id = $1`, [a]);
      expect(await found({ range: '24h' })).toEqual([c, b]);
      expect(await found({ range: '7d' })).toEqual([c, b, a]);
      expect(await found({ to_ts: new Date(Date.now() - 86_400_000).toISOString() })).toEqual([a]);
      expect(await found({ from_ts: new Date(Date.now() - 86_400_000).toISOString(), range: '15m' })).toEqual([c, b]);
      const page = await alerts.list({ limit: 1, offset: 1 });
      expect(page).toMatchObject({ total: 3, limit: 1, offset: 1 });
      expect(page.items.map(({ id }: Json) => id)).toEqual([b]);
      const refused: Record<string, string | number>[] = [
        { status: 'new' },
        { limit: 0 },
        { limit: 501 },
        { offset: -1 },
        { alert_rule_id: 'x' },
        { from_ts: '2026-02-01T00:00:00Z', to_ts: '2026-01-01T00:00:00Z' },
      ];
      for (const query of refused) {
        expect((await alerts.ask('/events', query)).status).toBe(422);
      }
    });

    it('by pages and a stream of no more bytes than may be in memory, also where they were kept larger', async () => {
      const LARGE = 1_500_000;
      const PAGE_BYTES = 4 * 1024 * 1024;
      const fired: string[] = [];
      for (let n = 0; n < 6; n += 1) fired.push(await alerts.fire({ message: String(n) }));
      await app.rows(
        `UPDATE alert_events SET payload = json_build_object('number', 1e100, 'x', repeat('x', $2)) WHERE id = ANY ($1)`,
        [fired, LARGE],
      );
      const seen: Json[] = [];
      const sizes: number[] = [];
      while (seen.length < fired.length) {
        const answer = await alerts.ask('/events', { limit: 500, offset: seen.length });
        expect(answer.text.length).toBeLessThan(PAGE_BYTES + 10_000);
        const { items, ...page } = answer.body as { items: Json[]; limit: number };
        const isLast = seen.length + items.length === fired.length;
        expect(page).toEqual({ total: 6, limit: isLast ? 500 : items.length, offset: seen.length });
        seen.push(...items);
        sizes.push(items.length);
      }
      expect(sizes).toEqual([2, 2, 2]);
      expect(seen.map(({ id }) => id)).toEqual([...fired].reverse());
      expect(seen[0]).toEqual(await alerts.get(fired[5] ?? ''));
      expect(await alerts.list({ limit: 2, offset: 4 })).toMatchObject({
        total: 6,
        limit: 2,
        offset: 4,
        items: { length: 2 },
      });
      expect(await alerts.list({ offset: 6 })).toEqual({ total: 6, limit: 50, offset: 6, items: [] });

      const reads = app.nest.get(AlertReadsRepository, { strict: false });
      const changedAfter = reads.changedAfter.bind(reads);
      const together: number[] = [];
      jest.spyOn(reads, 'changedAfter').mockImplementation(async (...parameters) => {
        const read = await changedAfter(...parameters);
        together.push(read.items.length);
        return read;
      });
      const client = await StreamClient.open(
        app,
        `/v1/alerts/events/stream?project_id=${owner.projectId}`,
        owner.bearer,
      );
      const streamed = () => client.messages.flatMap(({ alert_event: alert }) => alert?.id ?? []);
      await client.until(() => streamed().length === fired.length);
      client.close();
      jest.restoreAllMocks();
      expect([...streamed()].sort()).toEqual([...fired].sort());
      expect(Math.max(...together)).toBe(1);
    });

    it('of one event, and in the timeline of one, the newest that may be in memory together', async () => {
      const LARGE = 1_500_000;
      const ingested = await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', owner.apiKey)
        .send({ event_type: 'disk.full', source: 'db1' })
        .expect(200);
      const { ingested_event_id: eventId } = ingested.body as { ingested_event_id: string };
      const ids: string[] = [];
      for (let n = 0; n < 4; n += 1) ids.push(String((await alerts.raise({ event_id: eventId })).body.id));
      await app.rows(`UPDATE alert_events SET payload = json_build_object('x', repeat('x', $2)) WHERE id = ANY ($1)`, [
        ids,
        LARGE,
      ]);
      const detail = await alerts.http.send('get', `/v1/projects/${owner.projectId}/events/${eventId}`);
      expect(detail.body.related_alerts.map((alert: Json) => alert.id)).toEqual([ids[3], ids[2]]);
      expect(detail.body.related_alerts[0]).toEqual(await alerts.get(ids[3] ?? ''));

      const [id = ''] = ids;
      for (let n = 0; n < 3; n += 1) await alerts.act(id, 'comments', { body: `Comment ${n}` });
      const whole = await alerts.timeline(id);
      expect(whole.map(({ type }) => type)).toEqual(['opened', 'commented', 'commented', 'commented']);
      await app.rows(`UPDATE alert_timeline SET note = note || repeat('x', $2) WHERE alert_event_id = $1`, [id, LARGE]);
      const cut = await alerts.timeline(id);
      expect(cut.map((entry) => entry.id)).toEqual(whole.slice(2).map((entry) => entry.id));
      await app.rows(`UPDATE alert_timeline SET note = note || repeat('x', $2) WHERE alert_event_id = $1`, [
        id,
        4 * LARGE,
      ]);
      expect((await alerts.timeline(id)).map((entry) => entry.id)).toEqual([whole[3]?.id]);
    });

    it('by nobody of another project', async () => {
      await alerts.fire();
      const other = alertEventsOf(app, await ownerWithProject(app));
      expect((await other.list()).total).toBe(0);
      expect((await other.ask('/summary')).body.total).toBe(0);
      expect((await other.ask('/metrics')).body.total).toBe(0);
    });

    it('in counts by status and severity', async () => {
      const [a, b] = [await alerts.fire(), await alerts.fire({ rule: { severity: 'info' } })];
      await alerts.fire();
      await alerts.act(a, 'acknowledge');
      await alerts.act(b, 'resolve');
      expect((await alerts.ask('/summary')).body).toEqual({
        project_id: owner.projectId,
        total: 3,
        unresolved: 2,
        by_status: { open: 1, acknowledged: 1, snoozed: 0, resolved: 1 },
        by_severity: { info: 1, warning: 0, critical: 2 },
        unresolved_by_severity: { info: 0, warning: 0, critical: 2 },
      });
    });

    it('in the time that people take', async () => {
      expect((await alerts.ask('/metrics')).body).toEqual({
        project_id: owner.projectId,
        from_ts: expect.any(String),
        to_ts: expect.any(String),
        total: 0,
        time_to_acknowledge: { count: 0, median_seconds: null, p95_seconds: null },
        time_to_resolve: { count: 0, median_seconds: null, p95_seconds: null },
      });
      for (const seconds of [10, 20, 30, 40, 100]) {
        const id = await alerts.fire();
        await alerts.act(id, 'acknowledge');
        await alerts.act(id, 'resolve');
        await app.rows(
          `UPDATE alert_events SET first_acknowledged_at = created_at + make_interval(secs => $2),
             resolved_at = created_at + make_interval(secs => $2 * 2) WHERE id = $1`,
          [id, seconds],
        );
      }
      const reopened = await alerts.fire();
      await alerts.act(reopened, 'resolve');
      await alerts.act(reopened, 'reopen');
      expect((await alerts.ask('/metrics', { range: '1h' })).body).toMatchObject({
        total: 6,
        time_to_acknowledge: { count: 5, median_seconds: 30, p95_seconds: 88 },
        time_to_resolve: { count: 5, median_seconds: 60, p95_seconds: 176 },
      });
    });
  });

  it('go with their project', async () => {
    const id = await alerts.fire();
    await alerts.silence();
    const path = `/v1/projects/${owner.projectId}`;
    await alerts.http.send('post', `${path}/archive`);
    expect((await alerts.http.send('delete', path)).status).toBe(204);
    expect((await alerts.http.send('get', `/v1/alerts/events/${id}`)).status).toBe(404);
    await app.rows(`UPDATE projects SET deleted_at = deleted_at - interval '1 hour' WHERE id = $1`, [owner.projectId]);
    await runMaintenance(app);
    for (const table of ['alert_events', 'alert_timeline', 'alert_silences']) {
      expect(await app.rows(`SELECT 1 FROM ${table} WHERE project_id = $1`, [owner.projectId])).toEqual([]);
    }
  });
});
