import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DueAlertsRunner } from '../../../src/modules/alerting/alerts/engine/due-alerts-runner.js';
import { AlertReadsRepository } from '../../../src/modules/alerting/alerts/events/alert-reads.repository.js';
import { newId } from '../../../src/platform/ids/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { type AlertEventsClient, alertEventsOf, runMaintenance } from '../../support/alert-events.js';
import { createTestApp } from '../../support/app.js';
import type { Json } from '../../support/delivery.js';
import { StreamClient } from '../../support/event-stream.js';
import { RULES_ENV } from '../../support/rules.js';
import { app } from './api-app.js';

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();
const NOWHERE = 'http://127.0.0.1:9/';

describe('an alert event', () => {
  let owner: Owner;
  let alerts: AlertEventsClient;

  beforeEach(async () => {
    owner = await ownerWithProject(app);
    alerts = alertEventsOf(app, owner);
  });

  /** Takes a snooze, a cooldown or what is due back in time. */
  const pastDue = (id: string): Promise<unknown> =>
    app.rows(
      `UPDATE alert_events SET snoozed_until = snoozed_until - interval '1 day', notice_due_at = notice_due_at - interval '1 day',
         notified_at = notified_at - interval '1 day' WHERE id = $1`,
      [id],
    );
  const bulk = (body: object) => alerts.http.send('post', '/v1/alerts/events/bulk', body);

  it('continues while its rule continues to fire, and a new one begins when it was resolved meanwhile', async () => {
    const rule = { id: newId() };
    const id = await alerts.fire({ rule });
    expect(await alerts.fire({ rule, continues: true })).toBe(id);
    expect((await alerts.get(id)).occurrences).toBe(1);
    await alerts.act(id, 'resolve');
    const next = await alerts.fire({ rule, continues: true });
    expect(next).not.toBe(id);
    expect((await alerts.get(next)).status).toBe('open');
  });

  it('is resolved by the recovery of its rule, and the next match begins another', async () => {
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

  it('counts exactly when 40 firings come at once on two instances', async () => {
    const other = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir, env: RULES_ENV });
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
      expect(await alerts.notifications(items[0].id)).toHaveLength(1);
      expect(await alerts.types(items[0].id)).toEqual(['opened', 'notified']);
    } finally {
      await other.close();
    }
  });

  it('loses no occurrence and doubles none while it is resolved and recovers at the same time', async () => {
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

  it('reads as open at once when its snooze is over, and maintenance adds the end of the snooze to its timeline', async () => {
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

  it('is notified before newer ones of its project, and after at most 100 of another project', async () => {
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

  it('does not stop a bulk change when its own change fails', async () => {
    const [before, faulty, after] = [await alerts.fire(), await alerts.fire(), await alerts.fire()];
    await app.rows(`ALTER TABLE alert_events ADD CONSTRAINT fault CHECK (id <> '${faulty}' OR status = 'open')`);
    const answer = await bulk({ ids: [before, faulty, after], action: 'resolve' });
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

  it('is found by the name of its rule, which its message does not have', async () => {
    await alerts.fire({ message: 'b' });
    const id = await alerts.fire({ rule: { name: 'Queue', severity: 'info' }, message: 'c', event: null });
    expect((await alerts.list({ query: 'queue' })).items.map((one: Json) => one.id as string)).toEqual([id]);
  });

  it('is sent to a stream by itself when it is large', async () => {
    const LARGE = 1_500_000;
    const fired: string[] = [];
    for (let n = 0; n < 6; n += 1) fired.push(await alerts.fire({ message: String(n) }));
    await app.rows(
      `UPDATE alert_events SET payload = json_build_object('number', 1e100, 'x', repeat('x', $2)) WHERE id = ANY ($1)`,
      [fired, LARGE],
    );
    const reads = app.nest.get(AlertReadsRepository, { strict: false });
    const changedAfter = reads.changedAfter.bind(reads);
    const together: number[] = [];
    jest.spyOn(reads, 'changedAfter').mockImplementation(async (...parameters) => {
      const read = await changedAfter(...parameters);
      together.push(read.items.length);
      return read;
    });
    const client = await StreamClient.open(app, `/v1/alerts/events/stream?project_id=${owner.projectId}`, owner.bearer);
    const streamed = () => client.messages.flatMap(({ alert_event: alert }) => alert?.id ?? []);
    await client.until(() => streamed().length === fired.length);
    client.close();
    jest.restoreAllMocks();
    expect([...streamed()].sort()).toEqual([...fired].sort());
    expect(Math.max(...together)).toBe(1);
  });
});
