import { emptyRedis, INGEST_MODES } from '../../support/ingestion.js';
import { ingestionServiceIn } from '../../support/ingestion-modes.js';
import { describeUniqueEvents } from '../../support/intake-rules.js';

// The shared service is in batched mode: see test/e2e/intake/unique-events.spec.ts.
for (const mode of INGEST_MODES.filter((one) => one !== 'batched')) {
  describeUniqueEvents(mode, () => ingestionServiceIn(mode), mode === 'queued' ? emptyRedis : undefined);
}
