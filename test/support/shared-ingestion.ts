import type { IngestionService } from './ingestion-rules.js';
import { service, tenant } from './service.js';
import { ingestionDatabase } from './sql-builders/ingestion.js';

/** Returns the shared service, which ingests in batched mode. */
export function sharedIngestionService(): Promise<IngestionService> {
  return Promise.resolve({
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
  });
}
