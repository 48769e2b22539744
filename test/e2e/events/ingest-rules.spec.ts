import { describeIngestion } from '../../support/ingestion-rules.js';
import { sharedIngestionService } from '../../support/shared-ingestion.js';

// The other modes need services of their own: see test/integration/events/ingest-modes.spec.ts.
describeIngestion('batched', sharedIngestionService);
