import { afterAll, beforeAll, describe } from '@jest/globals';
import { emptyRedis, INGEST_MODES } from '../../support/ingestion.js';
import { ingestionServiceIn } from '../../support/ingestion-modes.js';
import { describeIngestion, type IngestionService } from '../../support/ingestion-rules.js';
import { describeUniqueEvents } from '../../support/intake-rules.js';

// The shared service is in batched mode: see test/e2e/events/ingest-rules.spec.ts and
// test/e2e/intake/unique-events.spec.ts.
describe.each(INGEST_MODES.filter((one) => one !== 'batched'))('the service in the ingest mode %s', (mode) => {
  let service: IngestionService;

  beforeAll(async () => {
    service = await ingestionServiceIn(mode);
  });
  afterAll(() => service.close());

  const shared = (): Promise<IngestionService> => Promise.resolve({ ...service, close: () => Promise.resolve() });
  describeIngestion(mode, shared);
  describeUniqueEvents(mode, shared, mode === 'queued' ? emptyRedis : undefined);
});
