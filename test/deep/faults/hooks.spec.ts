import { afterEach, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { cleanUp, cleanups, query, temporaryFolder } from '../../support/embedded-database.js';
import { HOOK_SECRET as secret } from '../../support/hook-deliveries.js';
import { expectTrueCounters } from '../../support/ingestion.js';
import { hookSender, IntakeTraffic } from '../../support/intake-traffic.js';
import { createTestDatabase } from '../../support/postgres.js';
import { CLEAN_EXIT, startService } from '../../support/service-process.js';
import { call, openAccount, storedEvents } from '../../support/service-traffic.js';

const KILLS = 20;
/** Webhooks that are accepted between two kills, at least. */
const WEBHOOKS_BETWEEN_KILLS = 30;
const MAX_DELAY_MS = 60;

afterEach(cleanUp);

describe('the webhooks of a service that is killed again and again', () => {
  it('are stored once each when their sender repeats them until they are answered', async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const dataDir = await temporaryFolder();
    const env = { DATA_DIR: dataDir, DATABASE_URL: database.url };
    let service = await startService({ env });
    const { accessToken, projectId } = await openAccount(service.url, dataDir);
    const source = {
      project_id: projectId,
      name: 'Hooks',
      type: 'webhook',
      verification: { scheme: 'github', secret },
    };
    const { body } = await call(service.url, {
      method: 'POST',
      path: '/v1/ingest-sources',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${accessToken}` },
      body: JSON.stringify(source),
    });
    const { pathname } = new URL((body as { hook_url: string }).hook_url);
    // The senders of one name race each other with the same deliveries.
    const traffic = new IntakeTraffic(
      () => service.url,
      ['a', 'a', 'b', 'b', 'c'].map((name) => hookSender(pathname, name)),
    );
    for (let kills = 0; kills < KILLS; kills += 1) {
      await traffic.hasAccepted(traffic.accepted.size + WEBHOOKS_BETWEEN_KILLS);
      // Spreads the kills over the work of a webhook.
      await delay(Math.random() * MAX_DELAY_MS);
      service.signal('SIGKILL');
      await service.exited;
      service = await startService({ env });
    }
    await traffic.stop();
    expect(traffic.surprises).toEqual([]);
    const accepted = [...traffic.accepted].sort();
    expect(await storedEvents(database.url)).toEqual({ ids: accepted, counted: accepted.length });
    expect(await query(database.url, 'SELECT FROM ingestion_failures')).toEqual([]);
    await expectTrueCounters({ rows: <Row>(sql: string) => query(database.url, sql) as Promise<Row[]> });
    expect(await service.stop()).toEqual(CLEAN_EXIT);
  });
});
