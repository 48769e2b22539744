import { cleanups, temporaryFolder } from './embedded-database.js';
import { OTLP_LIMITS, OtlpTraffic, storedMessages } from './otlp-traffic.js';
import { createTestDatabase } from './postgres.js';
import { type Exit, startService } from './service-process.js';
import { openAccount } from './service-traffic.js';

interface Survived {
  /** The messages that were answered with 200, sorted. */
  readonly accepted: readonly string[];
  readonly stored: { readonly messages: readonly string[]; readonly counted: number };
  readonly exit: Exit;
}

const SENDERS = 4;
/** Batches that are answered between two kills. */
const BATCHES_PER_KILL = 6;

/** Kills and starts a service again and again while senders repeat what it did not answer. */
export async function otlpThroughKills(kills: number): Promise<Survived> {
  const database = await createTestDatabase();
  cleanups.push(() => database.drop());
  const dataDir = await temporaryFolder();
  const env = { DATA_DIR: dataDir, DATABASE_URL: database.url, RATE_LIMIT_OVERRIDES: OTLP_LIMITS };
  let service = await startService({ env });
  const { apiKey } = await openAccount(service.url, dataDir);
  const batchesEach = Math.ceil(((kills + 1) * BATCHES_PER_KILL) / SENDERS);
  const url = (): string => service.url;
  const traffic = new OtlpTraffic({ url, apiKey, senders: SENDERS, batchesEach, recordsOfBatch: 40 });
  for (let kill = 1; kill <= kills; kill += 1) {
    await traffic.hasAccepted(kill * BATCHES_PER_KILL);
    service.signal('SIGKILL');
    await service.exited;
    service = await startService({ env });
  }
  await traffic.over;
  const stored = await storedMessages(database.url);
  return { accepted: traffic.accepted.sort(), stored, exit: await service.stop() };
}
