import { describeIngestion } from '../../support/ingestion-rules.js';
import { service, tenant } from '../../support/service.js';
import { ingestionDatabase } from '../../support/sql-builders/ingestion.js';

// The other modes need services of their own: see test/integration/events/ingest-modes.spec.ts.
describeIngestion('batched', () =>
  Promise.resolve({
    url: service.url,
    upgradeUrl: 'https://app.example.com/upgrade',
    monthlyRequests: 100_000,
    database: ingestionDatabase,
    newTenant: async () => {
      const { owner, organizationId, projectId, key } = await tenant();
      return { accessToken: owner.accessToken, organizationId, projectId, apiKey: key.apiKey, apiKeyId: key.id };
    },
    settled: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }),
);
