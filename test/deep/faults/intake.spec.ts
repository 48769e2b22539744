import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { cleanUp, cleanups, query, temporaryFolder } from '../../support/embedded-database.js';
import { HOOK_SECRET as secret } from '../../support/hook-deliveries.js';
import { expectTrueCounters } from '../../support/ingestion.js';
import { cloudEventsSender, hookSender, IntakeTraffic, jsonSender } from '../../support/intake-traffic.js';
import { OtlpTraffic } from '../../support/otlp-traffic.js';
import { createTestDatabase } from '../../support/postgres.js';
import { CLEAN_EXIT, type Exit, startService } from '../../support/service-process.js';
import { type Account, call, openAccount } from '../../support/service-traffic.js';

const KILLS = 20;
/** The numbers of what is accepted between two kills, at least. */
const [EVENTS_BETWEEN_KILLS, WEBHOOKS_BETWEEN_KILLS, BATCHES_BETWEEN_KILLS] = [40, 30, 6];
const MAX_DELAY_MS = 60;

interface StoredEvent {
  readonly project: string;
  readonly id: string | null;
  readonly message: string | null;
}

/** One series of kills for every way into the service, because a start takes most of the time of a kill. */
describe('the intake of a service that is killed 20 times', () => {
  let databaseUrl: string;
  let stored: StoredEvent[];
  let exit: Exit;
  /** JSON and CloudEvents, webhooks, and OTLP, each with a project of its own. */
  let accounts: Record<'lists' | 'hooks' | 'otlp', Account>;
  let traffic: { readonly lists: IntakeTraffic; readonly hooks: IntakeTraffic; readonly otlp: OtlpTraffic };

  beforeAll(async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    databaseUrl = database.url;
    const dataDir = await temporaryFolder();
    const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
    let service = await startService({ env });
    const url = (): string => service.url;
    const open = (): Promise<Account> => openAccount(service.url, dataDir);
    accounts = { lists: await open(), hooks: await open(), otlp: await open() };
    const { lists } = accounts;
    const path = await hookPath(service.url, accounts.hooks);
    traffic = {
      lists: new IntakeTraffic(url, [
        jsonSender(lists, 'json-a'),
        jsonSender(lists, 'json-b'),
        cloudEventsSender(lists, 'batch-a', 'batch'),
        // These two race each other with the same events.
        cloudEventsSender(lists, 'batch-b', 'batch'),
        cloudEventsSender(lists, 'batch-b', 'batch'),
        cloudEventsSender(lists, 'binary', 'binary'),
        cloudEventsSender(lists, 'binary', 'binary'),
      ]),
      // The senders of one name race each other with the same deliveries.
      hooks: new IntakeTraffic(
        url,
        ['a', 'a', 'b', 'b', 'c'].map((name) => hookSender(path, name)),
      ),
      otlp: new OtlpTraffic({ url, apiKey: accounts.otlp.apiKey, senders: 4, recordsOfBatch: 10, pauseMs: 100 }),
    };
    for (let kills = 0; kills < KILLS; kills += 1) {
      await Promise.all([
        traffic.lists.hasAccepted(traffic.lists.accepted.size + EVENTS_BETWEEN_KILLS),
        traffic.hooks.hasAccepted(traffic.hooks.accepted.size + WEBHOOKS_BETWEEN_KILLS),
        traffic.otlp.hasAccepted(traffic.otlp.batches + BATCHES_BETWEEN_KILLS),
      ]);
      // Spreads the kills over the work of a request.
      await delay(Math.random() * MAX_DELAY_MS);
      service.signal('SIGKILL');
      await service.exited;
      service = await startService({ env });
    }
    await Promise.all(Object.values(traffic).map((one) => one.stop()));
    stored = (await query(
      databaseUrl,
      'SELECT project_id AS project, external_event_id AS id, message FROM events',
    )) as StoredEvent[];
    exit = await service.stop();
  });
  afterAll(cleanUp);

  async function hookPath(url: string, { accessToken, projectId }: Account): Promise<string> {
    const source = {
      project_id: projectId,
      name: 'Hooks',
      type: 'webhook',
      verification: { scheme: 'github', secret },
    };
    const { body } = await call(url, {
      method: 'POST',
      path: '/v1/ingest-sources',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${accessToken}` },
      body: JSON.stringify(source),
    });
    return new URL((body as { hook_url: string }).hook_url).pathname;
  }

  const storedOf = ({ projectId }: Account): StoredEvent[] => stored.filter(({ project }) => project === projectId);
  const idsOf = (account: Account): unknown =>
    storedOf(account)
      .map(({ id }) => id)
      .sort();

  it('loses no event and stores none twice, of JSON with idempotency keys and of CloudEvents', () => {
    expect(traffic.lists.surprises).toEqual([]);
    expect(idsOf(accounts.lists)).toEqual([...traffic.lists.accepted].sort());
  });

  it('stores each webhook once when its sender repeats it until it is answered', async () => {
    expect(traffic.hooks.surprises).toEqual([]);
    expect(idsOf(accounts.hooks)).toEqual([...traffic.hooks.accepted].sort());
    expect(await query(databaseUrl, 'SELECT FROM ingestion_failures')).toEqual([]);
  });

  it('stores every record of OTLP that it answered with 200, and repeated batches once', () => {
    const messages = storedOf(accounts.otlp).map(({ message }) => message);
    expect(messages.sort()).toEqual(traffic.otlp.accepted.sort());
  });

  it('counts every event once, and stops in order', async () => {
    const [row] = await query(databaseUrl, 'SELECT coalesce(sum(events_ingested), 0)::int AS counted FROM usage_daily');
    const { lists, hooks, otlp } = traffic;
    expect(row).toEqual({ counted: lists.accepted.size + hooks.accepted.size + otlp.accepted.length });
    await expectTrueCounters({ rows: <Row>(sql: string) => query(databaseUrl, sql) as Promise<Row[]> });
    expect(exit).toEqual(CLEAN_EXIT);
  });
});
