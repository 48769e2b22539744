import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { type AlertClient, alertsOf } from '../../support/alerts.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { cleanUp, cleanups, temporaryFolder } from '../../support/embedded-database.js';
import { createTestDatabase } from '../../support/postgres.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { CLEAN_EXIT, eventually, type ServiceProcess, startWorker } from '../../support/service-process.js';

afterEach(cleanUp);

const DESTINATIONS = 12;
const ALERTS = 20;
const LEASE_SECONDS = 10;
const ANSWER_MS = 60;

interface Row {
  readonly id: string;
  readonly status: string;
  readonly retry_count: number;
  readonly failure_reason: string | null;
}

/** Notices are made by an API process in which nothing is sent; workers are processes of their own. */
describe('workers in the middle of a fanout', () => {
  let app: TestApp;
  let owner: Owner;
  let alerts: AlertClient;
  let receiver: Receiver;
  let env: Record<string, string>;

  beforeEach(async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    receiver = await startReceiver((response) => setTimeout(() => response.writeHead(200).end(), ANSWER_MS));
    cleanups.push(() => receiver.close());
    env = {
      DATA_DIR: await temporaryFolder(),
      OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8',
      DELIVERY_RETRY_POLL_SECONDS: '1',
      DELIVERY_RETRY_LEASE_SECONDS: String(LEASE_SECONDS),
    };
    app = await createTestApp({
      databaseUrl: database.url,
      dataDir: env.DATA_DIR,
      env: { ...env, PROCESS_ROLE: 'api' },
    });
    cleanups.push(() => app.close());
    owner = await ownerWithProject(app);
    alerts = alertsOf(app, owner);
    for (let at = 0; at < DESTINATIONS; at += 1)
      await alerts.destination(`${receiver.url}/${at}`, { secret: 'a-secret-of-it' });
  });

  const worker = (): Promise<ServiceProcess> => startWorker({ ...env, DATABASE_URL: app.databaseUrl });
  const rows = (): Promise<Row[]> =>
    app.rows<Row>('SELECT id, status, retry_count, failure_reason FROM alert_deliveries');
  const raiseAll = async (): Promise<void> => {
    for (let count = 0; count < ALERTS; count += 1) await alerts.raise();
  };
  /** How often each delivery has come. */
  const arrivals = (): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const { headers } of receiver.received) {
      const id = String(headers['x-service-delivery-id']);
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return counts;
  };
  /** Waits until all are sent; a retry that has been scheduled comes due at once. */
  const allSent = async (): Promise<Row[]> =>
    eventually(
      async () => {
        await app.rows(
          `UPDATE alert_deliveries SET due_at = now() WHERE status = 'retrying' AND due_at > now() AND claim_token IS NULL`,
        );
        return rows();
      },
      (all) => all.length === DESTINATIONS * ALERTS && all.every(({ status }) => status === 'sent'),
    );

  it('may be killed: nothing is lost, and nothing comes twice but what was on its way', async () => {
    const [first, second] = await Promise.all([worker(), worker()]);
    const raising = raiseAll();
    await receiver.requests(40);
    await first.stop('SIGKILL');
    await receiver.requests(90);
    await second.stop('SIGKILL');
    await raising;
    const inFlight = new Set((await rows()).filter(({ status }) => status !== 'sent').map(({ id }) => id));
    expect(inFlight.size).toBeGreaterThan(0);

    await worker();
    const sent = await allSent();
    const counts = arrivals();
    expect(sent.filter(({ id }) => !counts.has(id))).toEqual([]);
    const repeated = [...counts].flatMap(([id, count]) => (count > 1 ? [id] : []));
    const expired = new Set(sent.filter(({ retry_count: count }) => count > 0).map(({ id }) => id));
    // Only a try whose end nobody wrote down is made again.
    expect(repeated.filter((id) => !expired.has(id))).toEqual([]);
    expect(expired.size).toBeGreaterThan(0);
    expect(sent.every(({ failure_reason: reason }) => reason === null)).toBe(true);
  });

  it('may be stopped: they finish what they began, and the next ones send the rest exactly once', async () => {
    const first = await worker();
    const raising = raiseAll();
    await receiver.requests(40);
    expect(await first.stop()).toEqual(CLEAN_EXIT);
    await raising;
    expect(await app.rows('SELECT id FROM alert_deliveries WHERE claim_token IS NOT NULL')).toEqual([]);
    expect(arrivals().size).toBeLessThan(DESTINATIONS * ALERTS);

    await Promise.all([worker(), worker(), worker()]);
    const sent = await allSent();
    expect(sent.every(({ retry_count: count }) => count === 0)).toBe(true);
    expect([...arrivals().values()].filter((count) => count !== 1)).toEqual([]);
    expect(arrivals().size).toBe(DESTINATIONS * ALERTS);
  });
});
