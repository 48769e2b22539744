import { afterEach, describe, expect, it } from '@jest/globals';
import { cleanUp, cleanups, temporaryFolder } from '../support/embedded-database.js';
import { createTestDatabase } from '../support/postgres.js';
import { CLEAN_EXIT, startService } from '../support/service-process.js';
import { openAccount, storedEvents } from '../support/service-traffic.js';
import { StubbornTraffic } from '../support/stubborn-traffic.js';

const CLIENTS = 8;
const EVENTS_EACH = 40;

afterEach(cleanUp);

describe('A service that is killed three times under load', () => {
  it('stores every event that it answered with 200, and stores repeated events once', async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const dataDir = await temporaryFolder();
    const env = { DATA_DIR: dataDir, DATABASE_URL: database.url };
    let service = await startService({ env });
    const account = await openAccount(service.url, dataDir);
    const traffic = new StubbornTraffic(() => service.url, account, CLIENTS, EVENTS_EACH);
    for (const accepted of [50, 120, 200]) {
      await traffic.hasAccepted(accepted);
      service.signal('SIGKILL');
      await service.exited;
      service = await startService({ env });
    }
    await traffic.over;
    expect(traffic.accepted).toHaveLength(CLIENTS * EVENTS_EACH);
    expect(await storedEvents(database.url)).toEqual({
      ids: [...traffic.accepted].sort(),
      counted: traffic.accepted.length,
    });
    expect(await service.stop()).toEqual(CLEAN_EXIT);
  });
});
