import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { alertDeliveriesJob } from '../../../src/modules/alerting/destinations/index.js';
import { FanOutService } from '../../../src/modules/alerting/fan-out/index.js';
import { Database } from '../../../src/platform/database/database.js';
import { newId } from '../../../src/platform/ids/index.js';
import { JobQueue } from '../../../src/platform/queue/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { type AlertClient, alertsOf, notificationOf, runAlertDeliveries } from '../../support/alerts.js';
import { deliveryOf, type Json } from '../../support/delivery.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { app } from '../delivery/worker-app.js';

const isOver = ({ status }: Json): boolean => status === 'sent' || status === 'failed';
const isRetrying = ({ status }: Json): boolean => status === 'retrying';

describe('an alert delivery', () => {
  let owner: Owner;
  let alerts: AlertClient;
  let receiver: Receiver;

  beforeEach(async () => {
    owner = await ownerWithProject(app);
    alerts = alertsOf(app, owner);
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  it('is unsigned without a secret, and has null for each member that its alert event lacks', async () => {
    await alerts.destination(receiver.url);
    const nothing = { alertRuleId: null, ruleName: null, eventId: null, eventType: null, source: null };
    await alerts.raise({ kind: 'project' }, { ...nothing, severity: null, status: null, message: null, payload: null });
    const [request] = await receiver.requests(1);
    expect(Object.keys(request!.headers)).not.toContain('x-service-signature');
    expect(Object.keys(request!.headers)).not.toContain('webhook-signature');
    expect(Object.values(JSON.parse(request!.body) as object).filter((value) => value === null)).toHaveLength(8);
  });

  it('is not created for a destination or channel that does not exist or belongs to another project', async () => {
    const two = await alerts.destination(`${receiver.url}/two`);
    const slack = await alerts.destination(`${receiver.url}/slack`, { type: 'slack' });
    const off = await alerts.destination(`${receiver.url}/off`, { is_enabled: false });
    const foreign = await alertsOf(app, await ownerWithProject(app)).destination(`${receiver.url}/foreign`);
    const channel = await deliveryOf(app, owner).webhook(`${receiver.url}/channel`);
    const linked = (destinationIds: string[], channelIds: string[] = []) => ({
      kind: 'linked' as const,
      destinationIds,
      channelIds,
    });
    expect(await alerts.raise(linked([two, slack, off, foreign, newId()], [channel, newId()]))).toHaveLength(2);
    await receiver.requests(3);
    await runAlertDeliveries(app);
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/channel', '/slack', '/two']);
    expect(await alerts.raise(linked([]))).toEqual([]);
  });

  it('is not created when the transaction that requests it is rolled back', async () => {
    await alerts.destination(receiver.url);
    const order = { alertEvent: notificationOf(owner.projectId), targets: { kind: 'project' as const } };
    const undone = app.nest.get(Database).transaction(async (tx) => {
      expect((await app.nest.get(FanOutService, { strict: false }).enqueue(order, tx)).deliveryIds).toHaveLength(1);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await runAlertDeliveries(app);
    expect([(await alerts.deliveries()).total, receiver.connections()]).toEqual([0, 0]);
  });

  it('does not count as backlog while it waits for an earlier one of its fingerprint', async () => {
    let answers = 0;
    receiver.answer((response) => response.writeHead(++answers === 1 ? 503 : 200).end());
    const id = await alerts.destination(receiver.url);
    await alerts.until(await alerts.raiseFor(id, { fingerprint: 'checkout', message: 'opened' }), isRetrying);
    const waiting = await alerts.raiseFor(id, { fingerprint: 'checkout', message: 'resolved' });
    const free = await alerts.raiseFor(id, { fingerprint: 'search', message: 'another series' });
    await alerts.until(free, isOver);
    await runAlertDeliveries(app);
    expect(await alerts.delivery(waiting)).toMatchObject({ status: 'pending' });
    expect(await app.metrics()).toMatch(/^oes_alert_delivery_backlog 0$/m);
  });

  it('keeps its status when a result comes after its lease has expired, and the metrics count the lost lease', async () => {
    const lost = async (): Promise<number> =>
      Number(/^oes_alert_delivery_lost_leases_total (\d+)$/m.exec(await app.metrics())?.[1] ?? 0);
    const before = await lost();
    let release: () => void = () => undefined;
    receiver.answer((response) => void (release = () => response.writeHead(200).end()));
    const id = await alerts.raiseFor(await alerts.destination(receiver.url));
    await receiver.requests(1);
    await app.rows(`UPDATE alert_deliveries SET claim_expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
    await app.nest.get(JobQueue).runNow(alertDeliveriesJob, { wait: false });
    expect(await alerts.delivery(id)).toMatchObject({ status: 'retrying', failure_reason: 'lease_expired' });
    release();
    while ((await lost()) === before) await pause(25);
    expect(await alerts.delivery(id)).toMatchObject({
      status: 'retrying',
      retry_count: 1,
      response_code: null,
      failure_reason: 'lease_expired',
    });
  });

  it('is listed with the others of its destination along an index of their own', async () => {
    const quiet = await alerts.destination(`${receiver.url}/quiet`);
    const busy = await alerts.destination(`${receiver.url}/busy`);
    await alerts.raise({ kind: 'project' });
    await receiver.requests(2);
    await runAlertDeliveries(app);
    await app.rows(
      `INSERT INTO alert_deliveries (id, project_id, notice_id, alert_event_id, destination_id, destination_name,
                                     destination_type, status, created_at, due_at, completed_at)
       SELECT gen_random_uuid(), project_id, notice_id, alert_event_id,
              CASE WHEN n % 4000 = 0 THEN $1::uuid ELSE destination_id END, destination_name, destination_type, 'sent',
              now() - n * interval '1 second', NULL, now()
       FROM alert_deliveries, generate_series(1, 20000) n WHERE destination_id = $2`,
      [quiet, busy],
    );
    await app.rows('ANALYZE alert_deliveries');
    const fitting = `FROM alert_deliveries WHERE project_id = $1 AND destination_id = $2
                     AND created_at >= '1970-01-01Z' AND created_at < '9999-01-01Z'`;
    for (const query of [
      `SELECT * ${fitting} ORDER BY created_at DESC, id DESC LIMIT 50`,
      `SELECT count(*) ${fitting}`,
    ]) {
      const plan = await app.rows<{ 'QUERY PLAN': string }>(`EXPLAIN (COSTS OFF) ${query}`, [owner.projectId, quiet]);
      const text = plan.map((line) => line['QUERY PLAN']).join('\n');
      expect(text).toContain('ix_alert_deliveries_destination_id');
      expect(text).not.toContain('Sort');
    }
    expect(await alerts.deliveries({ destination_id: quiet })).toMatchObject({ total: 6 });
  });

  it('is counted in the state of the jobs and in the metrics', async () => {
    await alerts.until(await alerts.raiseFor(await alerts.destination(receiver.url)), isOver);
    const state = (await app.nest.get(JobQueue).state()).find(({ name }) => name === alertDeliveriesJob.name);
    expect(state).toMatchObject({ every_ms: 3_600_000, last_error: null });
    const metrics = await app.metrics();
    for (const name of [
      'outcomes_total{outcome="sent"}',
      'try_seconds_count',
      'backlog',
      'oldest_due_seconds',
      'in_flight',
    ]) {
      expect(metrics).toContain(`alert_delivery_${name} `);
    }
  });
});
