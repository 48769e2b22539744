import { INGEST_MODES } from '../../support/ingestion.js';
import { ingestionServiceIn } from '../../support/ingestion-modes.js';
import { describeIngestion } from '../../support/ingestion-rules.js';

// The shared service is in batched mode: see test/e2e/events/ingest-rules.spec.ts.
for (const mode of INGEST_MODES.filter((one) => one !== 'batched')) {
  describeIngestion(mode, () => ingestionServiceIn(mode));
}
