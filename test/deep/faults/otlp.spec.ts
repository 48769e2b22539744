import { afterEach, describe, expect, it } from '@jest/globals';
import { cleanUp, cleanups, temporaryFolder } from '../../support/embedded-database.js';
import { freePort } from '../../support/free-port.js';
import { ExporterTraffic } from '../../support/otlp-exporters.js';
import { OTLP_LIMITS, storedMessages } from '../../support/otlp-traffic.js';
import { createTestDatabase } from '../../support/postgres.js';
import { CLEAN_EXIT, startService } from '../../support/service-process.js';
import { openAccount } from '../../support/service-traffic.js';

const SENDERS_OF_EXPORTER = 2;
/** Records that are exported between two restarts, at least. */
const RECORDS_BETWEEN_RESTARTS = 300;

afterEach(cleanUp);

describe('a service that restarts three times while the official exporters of OpenTelemetry send to it', () => {
  it('stores every exported record once', async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const dataDir = await temporaryFolder();
    // Exporters have one address for their whole life.
    const env = {
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      PORT: String(await freePort()),
      RATE_LIMIT_OVERRIDES: OTLP_LIMITS,
    };
    let service = await startService({ env });
    const { apiKey } = await openAccount(service.url, dataDir);
    const traffic = new ExporterTraffic(service.url, apiKey, SENDERS_OF_EXPORTER);
    for (const signal of ['SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
      await traffic.hasAccepted(traffic.accepted.length + RECORDS_BETWEEN_RESTARTS);
      service.signal(signal);
      await service.end();
      service = await startService({ env });
    }
    await traffic.hasAccepted(traffic.accepted.length + RECORDS_BETWEEN_RESTARTS);
    await traffic.stop();
    expect(traffic.surprises).toEqual([]);
    const accepted = traffic.accepted.sort();
    expect(await storedMessages(database.url)).toEqual({ messages: accepted, counted: accepted.length });
    expect(await service.stop()).toEqual(CLEAN_EXIT);
  });
});
