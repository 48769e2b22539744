import { describeUniqueEvents } from '../../support/intake-rules.js';
import { sharedIngestionService } from '../../support/shared-ingestion.js';

// The other modes need services of their own: see test/integration/events/intake-modes.spec.ts.
describeUniqueEvents('batched', sharedIngestionService);
