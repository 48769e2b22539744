import { afterEach, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { cleanUp, cleanups, query, temporaryFolder } from '../../support/embedded-database.js';
import { expectTrueCounters } from '../../support/ingestion.js';
import { cloudEventsSender, IntakeTraffic, jsonSender } from '../../support/intake-traffic.js';
import { createTestDatabase } from '../../support/postgres.js';
import { CLEAN_EXIT, startService } from '../../support/service-process.js';
import { openAccount, storedEvents } from '../../support/service-traffic.js';

const KILLS = 20;
/** Events that are accepted between two kills, at least. */
const EVENTS_BETWEEN_KILLS = 40;
const MAX_DELAY_MS = 60;

afterEach(cleanUp);

describe('the intake of a service that is killed again and again', () => {
  it('loses no event and stores none twice, of JSON with idempotency keys and of CloudEvents', async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const dataDir = await temporaryFolder();
    const env = { DATA_DIR: dataDir, DATABASE_URL: database.url };
    let service = await startService({ env });
    const account = await openAccount(service.url, dataDir);
    const traffic = new IntakeTraffic(
      () => service.url,
      [
        jsonSender(account, 'json-a'),
        jsonSender(account, 'json-b'),
        cloudEventsSender(account, 'batch-a', 'batch'),
        // These two race each other with the same events.
        cloudEventsSender(account, 'batch-b', 'batch'),
        cloudEventsSender(account, 'batch-b', 'batch'),
        cloudEventsSender(account, 'binary', 'binary'),
        cloudEventsSender(account, 'binary', 'binary'),
      ],
    );
    for (let kills = 0; kills < KILLS; kills += 1) {
      await traffic.hasAccepted(traffic.accepted.size + EVENTS_BETWEEN_KILLS);
      // Spreads the kills over the work of a batch.
      await delay(Math.random() * MAX_DELAY_MS);
      service.signal('SIGKILL');
      await service.exited;
      service = await startService({ env });
    }
    await traffic.stop();
    expect(traffic.surprises).toEqual([]);
    const accepted = [...traffic.accepted].sort();
    expect(await storedEvents(database.url)).toEqual({ ids: accepted, counted: accepted.length });
    await expectTrueCounters({ rows: <Row>(sql: string) => query(database.url, sql) as Promise<Row[]> });
    expect(await service.stop()).toEqual(CLEAN_EXIT);
  });
});
