import { describeIngestionWays } from '../../support/ingestion-ways.js';
import { service, tenant } from '../../support/service.js';

// A service that no page of another origin may call is in test/integration/events/ingest-direct.ts.
describeIngestionWays({ settings: 'with pages of other origins', maxBodyBytes: 1024 * 1024 }, async () => {
  const { key } = await tenant();
  return { url: service.url, apiKey: key.apiKey, close: () => Promise.resolve() };
});
