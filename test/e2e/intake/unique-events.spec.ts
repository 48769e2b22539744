import { describeUniqueEvents } from '../../support/intake-rules.js';
import { sharedIngestionService } from '../../support/shared-ingestion.js';

// The other modes need services of their own: see test/integration/events/ingest-modes.spec.ts.
describeUniqueEvents('batched', sharedIngestionService);
