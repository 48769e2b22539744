import { beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as newId } from 'uuid';
import { type AlertEvent, AlertingApi } from '../../support/alerting-api.js';
import { eventually } from '../../support/eventually.js';
import { type Account, api, job, type Tenant, tenant } from '../../support/service.js';
import {
  ageAlertEvent,
  ageProjectDeletion,
  alertNotifications,
  enlargeAlertPayloads,
  enlargeTimelineNotes,
  letAlertTimePass,
  setAlertDurations,
  storedAlertRows,
} from '../../support/sql-builders/alerting.js';
import { deleteUser } from '../../support/sql-builders/accounts.js';
import { auditEntries } from '../../support/sql-builders/tenancy.js';

/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9/';
const DAY_SECONDS = 86_400;
/** Two of these are in one answer, and not three. */
const LARGE_BYTES = 1_500_000;
const NOT_FOUND = { detail: 'Alert event not found' };
const ROLE_REFUSED = { detail: 'Insufficient project role' };
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

let acme: Tenant;
let alerts: AlertingApi;

beforeEach(async () => {
  acme = await tenant();
  alerts = new AlertingApi(acme);
});

const inProject = (path: string) => api.as(acme.owner).get(`/v1/projects/${acme.projectId}${path}`);

describe('an alert event of a rule', () => {
  it('shows the event that began it, and counts the events that follow', async () => {
    const ruleId = await alerts.rule({ group_by: ['source'] });
    const [eventId] = await alerts.send({});
    const { id } = await alerts.counted(ruleId, 1);
    const first = await alerts.event(id);
    expect(first).toEqual({
      id,
      alert_rule_id: ruleId,
      rule_name: 'Payments fail',
      project_id: acme.projectId,
      event_id: eventId,
      event_type: 'payment.failed',
      source: 'checkout',
      severity: 'critical',
      status: 'open',
      message: 'Payments fail: card declined',
      payload: { amount: 120, message: 'card declined', source: 'checkout' },
      fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
      group_values: { source: 'checkout' },
      occurrences: 1,
      assignee_id: null,
      snoozed_until: null,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      last_occurred_at: expect.stringMatching(/Z$/),
      acknowledged_at: null,
      resolved_at: null,
    });
    const later = { message: 'later', payload: {} };
    expect(await alerts.fire(ruleId, ...Array.from({ length: 7 }, () => later))).toBe(id);
    expect(await alerts.event(id)).toMatchObject({
      ...first,
      occurrences: 8,
      last_occurred_at: expect.anything(),
    });
    expect(await alerts.fire(ruleId, { source: 'another group' })).not.toBe(id);
  });

  it('notifies of its newest event, and at its end also of the time that it took', async () => {
    await alerts.destination(NOWHERE);
    const ruleId = await alerts.rule({
      condition: { kind: 'match', all: [{ field: 'event', op: 'starts_with', value: 'payment.failed.' }] },
    });
    const event = (n: number, message: string) => ({
      event_type: `payment.failed.${n}`,
      source: `s${n}`,
      message,
      payload: { n },
    });
    const [first] = await alerts.send(event(1, 'one'));
    const { id } = await alerts.counted(ruleId, 1);
    const [second] = await alerts.send(event(2, 'two'));
    await alerts.counted(ruleId, 2);
    // Both events are matched at once.
    const [, third] = await alerts.send(event(0, 'zero'), event(3, 'three'));
    await alerts.counted(ruleId, 4);
    await ageAlertEvent(id, 2 * 3_600 + 5 * 60);
    await alerts.acted(id, 'resolve');
    const notices = await alertNotifications(id);
    const of = (eventId: string | undefined, n: number, message: string) => ({
      eventId,
      eventType: `payment.failed.${n}`,
      source: `s${n}`,
      payload: { n, message, source: `s${n}` },
    });
    expect(notices).toEqual([
      expect.objectContaining({ ...of(first, 1, 'one'), status: 'open', message: 'Payments fail: one' }),
      expect.objectContaining({ ...of(second, 2, 'two'), status: 'open', message: 'Payments fail: two' }),
      expect.objectContaining({ ...of(third, 3, 'three'), status: 'open', message: 'Payments fail: three' }),
      expect.objectContaining({
        ...of(third, 3, 'three'),
        status: 'resolved',
        message: 'Payments fail: Resolved after 2 h 5 min: three',
      }),
    ]);
    // The alert event itself keeps the event that began it.
    expect(await alerts.event(id)).toMatchObject({
      event_id: first,
      message: 'Payments fail: one',
      payload: { n: 1 },
    });
  });

  it('is acknowledged, snoozed, commented, assigned, resolved and reopened, and its timeline has who did it', async () => {
    const ruleId = await alerts.rule();
    const id = await alerts.fire(ruleId);
    const colleague = await acme.member();
    const theirs = alerts.as(colleague);
    expect(await theirs.acted(id, 'acknowledge', { note: 'On it' })).toMatchObject({
      id,
      status: 'acknowledged',
      acknowledged_at: expect.any(String),
    });
    const until = inAnHour();
    expect(await theirs.acted(id, 'snooze', { until })).toMatchObject({ status: 'snoozed', snoozed_until: until });
    expect(await theirs.acted(id, 'acknowledge')).toMatchObject({ status: 'acknowledged', snoozed_until: null });
    expect(await theirs.acted(id, 'comments', { body: ' Grüße ' })).toMatchObject({ id, status: 'acknowledged' });
    expect((await theirs.acted(id, 'assign', { user_id: acme.owner.id })).assignee_id).toBe(acme.owner.id);
    await theirs.act(id, 'assign', { user_id: acme.owner.id }).expect(200);
    expect(await alerts.acted(id, 'resolve', { note: 'Fixed' })).toMatchObject({
      status: 'resolved',
      resolved_at: expect.any(String),
    });
    expect((await alerts.acted(id, 'assign', { user_id: null })).assignee_id).toBeNull();
    expect(await alerts.acted(id, 'reopen', {})).toMatchObject({
      status: 'open',
      acknowledged_at: null,
      resolved_at: null,
    });
    const timeline = await alerts.timeline(id);
    const them = { user_id: colleague.id, display_name: expect.stringMatching(/^u\*\*\*@/) };
    const us = { user_id: acme.owner.id, display_name: expect.any(String) };
    expect(timeline.map(({ type, actor, body, detail }) => [type, actor, body, detail])).toEqual([
      ['opened', null, null, { occurrences: 1 }],
      ['acknowledged', them, 'On it', {}],
      ['snoozed', them, null, { until }],
      ['acknowledged', them, null, {}],
      ['commented', them, 'Grüße', {}],
      ['assigned', them, null, { assignee_id: acme.owner.id }],
      ['resolved', us, 'Fixed', {}],
      ['unassigned', us, null, { assignee_id: acme.owner.id }],
      ['reopened', us, null, {}],
    ]);
    const times = timeline.map((entry) => entry.created_at);
    expect(times).toEqual([...times].sort());
    const audited = await auditEntries({ projectId: acme.projectId, targetId: id });
    expect(audited.map(({ action }) => action.replace('alert_event.', '')).sort()).toEqual(
      timeline
        .slice(1)
        .map(({ type }) => type)
        .sort(),
    );
  });

  it('returns 409 when it is reopened while a newer one of the same fingerprint is unresolved', async () => {
    const ruleId = await alerts.rule();
    const id = await alerts.fire(ruleId);
    await alerts.acted(id, 'resolve');
    const newer = await alerts.fire(ruleId);
    await alerts.act(id, 'reopen').expect(409, { detail: 'A newer alert event of the same fingerprint is unresolved' });
    expect(await alerts.types(id)).toEqual(['opened', 'resolved']);
    await alerts.acted(newer, 'resolve');
    await alerts.acted(id, 'reopen');
    await alerts.fire(ruleId);
    expect(await alerts.event(id)).toMatchObject({ status: 'open', occurrences: 2 });
  });
});

describe('an alert event', () => {
  it.each([
    ['open', 'reopen', 'Alert event is not resolved'],
    ['acknowledged', 'acknowledge', 'Alert event is already acknowledged'],
    ['acknowledged', 'reopen', 'Alert event is not resolved'],
    ['snoozed', 'snooze', 'Alert event is already snoozed'],
    ['snoozed', 'reopen', 'Alert event is not resolved'],
    ['resolved', 'acknowledge', 'Alert event is resolved'],
    ['resolved', 'snooze', 'Alert event is resolved'],
    ['resolved', 'resolve', 'Alert event is resolved'],
  ])('returns 409 when it is %s and the request is to %s it', async (status, action, detail) => {
    const { id } = await alerts.raised();
    const act = { acknowledged: 'acknowledge', snoozed: 'snooze', resolved: 'resolve' }[status];
    if (act !== undefined) await alerts.acted(id, act, { until: inAnHour() });
    const before = [await alerts.event(id), await alerts.timeline(id)];
    await alerts.act(id, action, { until: inAnHour() }).expect(409, { detail });
    expect([await alerts.event(id), await alerts.timeline(id)]).toEqual(before);
  });

  it.each([
    ['acknowledge', undefined, 'acknowledged'],
    ['resolve', undefined, 'resolved'],
    ['snooze', { until: inAnHour() }, 'snoozed'],
  ])('accepts one of 20 concurrent requests to %s it', async (action, body, type) => {
    await alerts.destination(NOWHERE);
    const { id } = await alerts.raised();
    const answers = await Promise.all(Array.from({ length: 20 }, () => alerts.act(id, action, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(409)]);
    expect((await alerts.types(id)).filter((one) => one === type)).toHaveLength(1);
    expect((await alerts.notifications(id)).filter(({ status }) => status === 'resolved')).toHaveLength(
      action === 'resolve' ? 1 : 0,
    );
  });

  it('records the end of its snooze before a request that comes after the end', async () => {
    const { id } = await alerts.raised();
    await alerts.acted(id, 'snooze', { until: inAnHour() });
    await letAlertTimePass(acme.projectId, DAY_SECONDS);
    await alerts.acted(id, 'snooze', { until: inAnHour() });
    expect(await alerts.types(id)).toEqual(['opened', 'snoozed', 'snooze_ended', 'snoozed']);
  });

  it('returns 422 when the end of a snooze, an assignee, a comment, a note or its id is invalid', async () => {
    const { id } = await alerts.raised();
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
    expect((refusals[1]?.body as { detail: object[] }).detail).toEqual([
      expect.objectContaining({
        type: 'value_error',
        loc: ['body', 'until'],
        msg: 'Value error, until must lie in the future',
      }),
    ]);
    expect(await alerts.types(id)).toEqual(['opened']);
  });

  it('returns 409 when it is assigned to somebody who is no member of its project', async () => {
    const { id } = await alerts.raised();
    const member = await (await tenant()).member();
    const refusal = { detail: 'User is not a project member' };
    await alerts.act(id, 'assign', { user_id: member.id }).expect(409, refusal);
    await alerts.act(id, 'assign', { user_id: newId() }).expect(409);
    expect(await alerts.types(id)).toEqual(['opened']);
  });

  it('is shown to viewers, changed by members and raised by operators', async () => {
    const { id } = await alerts.raised();
    const viewer = alerts.as(await acme.viewer());
    expect((await viewer.event(id)).id).toBe(id);
    expect(await viewer.types(id)).toEqual(['opened']);
    await viewer.act(id, 'acknowledge').expect(403, ROLE_REFUSED);
    await viewer.act(id, 'comments', { body: 'x' }).expect(403, ROLE_REFUSED);
    const member = alerts.as(await acme.member());
    await member.raise().expect(403, ROLE_REFUSED);
    await member.act(id, 'acknowledge').expect(200);
    await alerts
      .as(await acme.operator())
      .raise()
      .expect(201);
  });

  it('returns 404 when it is unknown or of another project', async () => {
    const { id } = await alerts.raised();
    const stranger = await (await tenant()).member();
    await alerts.act(newId(), 'resolve').expect(404, NOT_FOUND);
    await alerts.as(stranger).act(id, 'acknowledge').expect(404, NOT_FOUND);
    await api.as(stranger).get(`/v1/alerts/events/${id}/timeline`).expect(404, NOT_FOUND);
    await alerts.as(stranger).get('/events').expect(403);
  });

  it('loses its assignee and the name of an actor when that account is deleted', async () => {
    const { id } = await alerts.raised();
    const leaving = await acme.member();
    await alerts.acted(id, 'assign', { user_id: leaving.id });
    await alerts.as(leaving).acted(id, 'acknowledge');
    await deleteUser(leaving.id);
    expect((await alerts.event(id)).assignee_id).toBeNull();
    expect((await alerts.timeline(id)).at(-1)?.actor).toEqual({ user_id: leaving.id, display_name: null });
  });

  it('is deleted with its project, and so are its timeline and the silences', async () => {
    const { id } = await alerts.raised();
    await alerts.silenced();
    const path = `/v1/projects/${acme.projectId}`;
    await api.as(acme.owner).post(`${path}/archive`).expect(200);
    await api.as(acme.owner).delete(path).expect(204);
    await api.as(acme.owner).get(`/v1/alerts/events/${id}`).expect(404);
    await ageProjectDeletion(acme.projectId);
    const rows = await eventually(
      async () => {
        await job('maintenance');
        return storedAlertRows(acme.projectId);
      },
      (left) => Object.values(left).every((count) => count === 0),
    );
    expect(rows).toEqual({ alertEvents: 0, timelineEntries: 0, silences: 0 });
  });
});

describe('a bulk change of alert events', () => {
  const bulk = (body: object, by: Account = acme.owner) => api.as(by).post('/v1/alerts/events/bulk', body);

  it('acknowledges or resolves alert events, and returns a result for each of them', async () => {
    const raised = async () => (await alerts.raised()).id;
    const [open, acknowledged, resolved] = [await raised(), await raised(), await raised()];
    await alerts.acted(acknowledged, 'acknowledge');
    await alerts.acted(resolved, 'resolve');
    const elsewhere = (await new AlertingApi(await tenant()).raised()).id;
    const missing = newId();
    const ids = [open, acknowledged, resolved, missing, elsewhere, open];
    const done = { id: open, ok: true, detail: null };
    await bulk({ ids, action: 'acknowledge', note: 'All of them' }).expect(200, {
      results: [
        done,
        { id: acknowledged, ok: false, detail: 'Alert event is already acknowledged' },
        { id: resolved, ok: false, detail: 'Alert event is resolved' },
        { id: missing, ok: false, detail: 'Alert event not found' },
        { id: elsewhere, ok: false, detail: 'Alert event not found' },
        done,
      ],
    });
    expect((await alerts.timeline(open)).at(-1)).toMatchObject({ type: 'acknowledged', body: 'All of them' });
    await bulk({ ids: [open], action: 'resolve' }, await acme.viewer()).expect({
      results: [{ id: open, ok: false, detail: 'Insufficient project role' }],
    });
    const both = await bulk({ ids: [open, acknowledged], action: 'resolve' }).expect(200);
    expect((both.body as { results: object[] }).results).toMatchObject([{ ok: true }, { ok: true }]);
  });

  it('returns 422 when its ids or its action are invalid', async () => {
    for (const body of [
      {},
      { ids: [], action: 'resolve' },
      { ids: ['x'], action: 'resolve' },
      { ids: [newId()], action: 'snooze' },
      { ids: Array.from({ length: 101 }, () => newId()), action: 'resolve' },
    ]) {
      await bulk(body).expect(422);
    }
  });
});

describe('an alert event that is raised by hand', () => {
  it('notifies the destinations of the project, and is resolved like others', async () => {
    const destination = await alerts.destination(NOWHERE);
    const raised = await alerts.raised({ severity: 'info', source: 'me', payload: { why: 'drill' } });
    expect(raised).toEqual(
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
    );
    const { id } = raised;
    const deliveries = await alerts.get('/deliveries', { alert_event_id: id }).expect(200);
    expect((deliveries.body as { items: object[] }).items).toMatchObject([{ destination_id: destination }]);
    const [opened, notified] = await alerts.timeline(id);
    expect(opened).toMatchObject({ type: 'opened', actor: { user_id: acme.owner.id } });
    expect(notified).toMatchObject({ type: 'notified', detail: { occurrences: 1, deliveries: 1, status: 'open' } });
    expect((await alerts.raised()).id).not.toBe(id);
    expect((await alerts.acted(id, 'resolve')).status).toBe('resolved');
    expect(await alerts.notifications(id)).toMatchObject([{ status: 'open' }, { status: 'resolved' }]);
  });

  it('counts as an occurrence of the unresolved alert event with the same fingerprint', async () => {
    const first = await alerts.raised({ fingerprint: 'disk full', severity: 'critical' });
    const second = await alerts.raised({ fingerprint: 'disk full' });
    expect([second.id, second.occurrences]).toEqual([first.id, 2]);
    expect(second.fingerprint).toBe('manual:disk full');
  });

  it('can refer to an event of its own project only, and is listed with the event', async () => {
    const [event_id = ''] = await alerts.send({ event_type: 'disk.full', source: 'db1' });
    const raised = await alerts.raised({ event_id, source: 'db' });
    expect(raised).toMatchObject({ event_id, event_type: 'disk.full', source: 'db' });
    const refused = await new AlertingApi(await tenant()).raise({ event_id }).expect(422);
    expect((refused.body as { detail: { loc: string[] }[] }).detail[0]?.loc).toEqual(['body', 'event_id']);
    const detail = await inProject(`/events/${event_id}`).expect(200);
    expect((detail.body as { related_alerts: AlertEvent[] }).related_alerts).toEqual([raised]);
  });

  it('counts as open on the dashboard until it is acknowledged', async () => {
    const { id } = await alerts.raised();
    expect((await inProject('/dashboard').expect(200)).body).toMatchObject({ open_alerts: 1 });
    await alerts.acted(id, 'acknowledge');
    expect((await inProject('/dashboard').expect(200)).body).toMatchObject({ open_alerts: 0 });
  });

  it('returns 422 when one of its fields is invalid', async () => {
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

describe('a list of alert events', () => {
  it('is filtered by status, severity, rule, assignee, event, fingerprint, text and time, the newest first', async () => {
    const matching = (type: string) => ({ kind: 'match', all: [{ field: 'event', op: 'eq', value: type }] });
    const ruleId = await alerts.rule({ severity: 'warning', condition: matching('job.failed') });
    const other = await alerts.rule({ name: 'Queue', severity: 'info', condition: matching('disk.full') });
    const [eventId] = await alerts.send({ event_type: 'job.failed', source: 'Cron', message: '100% of jobs' });
    const { id: a, fingerprint } = await alerts.counted(ruleId, 1);
    const { id: b } = await alerts.raised({ message: 'b', severity: 'critical', event_type: 'payment.failed' });
    const c = await alerts.fire(other, { event_type: 'disk.full', message: 'c' });
    await alerts.acted(b, 'assign', { user_id: acme.owner.id });
    await alerts.acted(c, 'resolve');
    const found = async (query: object = {}) => (await alerts.list(query)).items.map(({ id }) => id);
    expect(await found()).toEqual([c, b, a]);
    expect(await found({ status: 'open' })).toEqual([b, a]);
    expect(await found({ status: 'resolved' })).toEqual([c]);
    expect(await found({ severity: 'info' })).toEqual([c]);
    expect(await found({ alert_rule_id: ruleId })).toEqual([a]);
    expect(await found({ assignee_id: acme.owner.id })).toEqual([b]);
    expect(await found({ event_id: eventId })).toEqual([a]);
    expect(await found({ fingerprint })).toEqual([a]);
    expect(await found({ query: '100% OF' })).toEqual([a]);
    expect(await found({ query: 'cron' })).toEqual([a]);
    expect(await found({ query: '_' })).toEqual([]);
    await ageAlertEvent(a, 2 * DAY_SECONDS);
    const yesterday = new Date(Date.now() - DAY_SECONDS * 1_000).toISOString();
    expect(await found({ range: '24h' })).toEqual([c, b]);
    expect(await found({ range: '7d' })).toEqual([c, b, a]);
    expect(await found({ to_ts: yesterday })).toEqual([a]);
    expect(await found({ from_ts: yesterday, range: '15m' })).toEqual([c, b]);
    const page = await alerts.list({ limit: 1, offset: 1 });
    expect(page).toMatchObject({ total: 3, limit: 1, offset: 1 });
    expect(page.items.map(({ id }) => id)).toEqual([b]);
  });

  it('returns 422 when its filter or its page is invalid', async () => {
    for (const query of [
      { status: 'new' },
      { limit: 0 },
      { limit: 501 },
      { offset: -1 },
      { alert_rule_id: 'x' },
      { from_ts: '2026-02-01T00:00:00Z', to_ts: '2026-01-01T00:00:00Z' },
    ]) {
      await alerts.get('/events', query).expect(422);
    }
  });

  it('has pages of at most 4 MiB, also when alert events were stored larger than is accepted now', async () => {
    const PAGE_BYTES = 4 * 1024 * 1024;
    const raised: string[] = [];
    for (let n = 0; n < 6; n += 1) raised.push((await alerts.raised({ message: String(n) })).id);
    await enlargeAlertPayloads(raised, LARGE_BYTES);
    const seen: AlertEvent[] = [];
    const sizes: number[] = [];
    while (seen.length < raised.length) {
      const answer = await alerts.get('/events', { limit: 500, offset: seen.length }).expect(200);
      expect(answer.text.length).toBeLessThan(PAGE_BYTES + 10_000);
      const { items, ...page } = answer.body as { items: AlertEvent[]; limit: number };
      const isLast = seen.length + items.length === raised.length;
      expect(page).toEqual({ total: 6, limit: isLast ? 500 : items.length, offset: seen.length });
      seen.push(...items);
      sizes.push(items.length);
    }
    expect(sizes).toEqual([2, 2, 2]);
    expect(seen.map(({ id }) => id)).toEqual([...raised].reverse());
    expect(seen[0]).toEqual(await alerts.event(raised[5] ?? ''));
    expect(await alerts.list({ limit: 2, offset: 4 })).toMatchObject({
      total: 6,
      limit: 2,
      offset: 4,
      items: { length: 2 },
    });
    expect(await alerts.list({ offset: 6 })).toEqual({ total: 6, limit: 50, offset: 6, items: [] });
  });

  it('has only the newest alert events when it is shown with an event and they are large', async () => {
    const [event_id = ''] = await alerts.send({ event_type: 'disk.full', source: 'db1' });
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.push((await alerts.raised({ event_id })).id);
    await enlargeAlertPayloads(ids, LARGE_BYTES);
    const detail = await inProject(`/events/${event_id}`).expect(200);
    const { related_alerts: related } = detail.body as { related_alerts: AlertEvent[] };
    expect(related.map(({ id }) => id)).toEqual([ids[3], ids[2]]);
    expect(related[0]).toEqual(await alerts.event(ids[3] ?? ''));
  });

  it('has no alert events of another project, and neither have the summary and the metrics', async () => {
    await alerts.raised();
    const inGlobex = new AlertingApi(await tenant());
    expect((await inGlobex.list()).total).toBe(0);
    expect((await inGlobex.get('/summary').expect(200)).body).toMatchObject({ total: 0 });
    expect((await inGlobex.get('/metrics').expect(200)).body).toMatchObject({ total: 0 });
  });
});

describe('the timeline of an alert event', () => {
  it('has only its newest large entries', async () => {
    const { id } = await alerts.raised();
    for (let n = 0; n < 3; n += 1) await alerts.acted(id, 'comments', { body: `Comment ${n}` });
    const whole = await alerts.timeline(id);
    expect(whole.map(({ type }) => type)).toEqual(['opened', 'commented', 'commented', 'commented']);
    await enlargeTimelineNotes(id, LARGE_BYTES);
    const cut = await alerts.timeline(id);
    expect(cut.map((entry) => entry.id)).toEqual(whole.slice(2).map((entry) => entry.id));
    await enlargeTimelineNotes(id, 4 * LARGE_BYTES);
    expect((await alerts.timeline(id)).map((entry) => entry.id)).toEqual([whole[3]?.id]);
  });
});

describe('the summary of alert events', () => {
  it('counts alert events by status and severity', async () => {
    const a = await alerts.raised({ severity: 'critical' });
    const b = await alerts.raised({ severity: 'info' });
    await alerts.raised({ severity: 'critical' });
    await alerts.acted(a.id, 'acknowledge');
    await alerts.acted(b.id, 'resolve');
    await alerts.get('/summary').expect(200, {
      project_id: acme.projectId,
      total: 3,
      unresolved: 2,
      by_status: { open: 1, acknowledged: 1, snoozed: 0, resolved: 1 },
      by_severity: { info: 1, warning: 0, critical: 2 },
      unresolved_by_severity: { info: 0, warning: 0, critical: 2 },
    });
  });
});

describe('the metrics report of alert events', () => {
  it('has no times while no alert event was acknowledged or resolved', async () => {
    expect((await alerts.get('/metrics').expect(200)).body).toEqual({
      project_id: acme.projectId,
      from_ts: expect.any(String),
      to_ts: expect.any(String),
      total: 0,
      time_to_acknowledge: { count: 0, median_seconds: null, p95_seconds: null },
      time_to_resolve: { count: 0, median_seconds: null, p95_seconds: null },
    });
  });

  it('has the median and the 95th percentile of the times to acknowledge and to resolve', async () => {
    for (const seconds of [10, 20, 30, 40, 100]) {
      const { id } = await alerts.raised();
      await alerts.acted(id, 'acknowledge');
      await alerts.acted(id, 'resolve');
      await setAlertDurations(id, seconds);
    }
    const reopened = await alerts.raised();
    await alerts.acted(reopened.id, 'resolve');
    await alerts.acted(reopened.id, 'reopen');
    expect((await alerts.get('/metrics', { range: '1h' }).expect(200)).body).toMatchObject({
      total: 6,
      time_to_acknowledge: { count: 5, median_seconds: 30, p95_seconds: 88 },
      time_to_resolve: { count: 5, median_seconds: 60, p95_seconds: 176 },
    });
  });
});
