import { ownerWithProject } from './actors.js';
import { createTestApp } from './app.js';
import { emptyRedis, modeEnv, settled } from './ingestion.js';
import type { IngestionService } from './ingestion-rules.js';
import { IngestionDatabase } from './sql-builders/ingestion.js';

/** Starts a service in one ingest mode. */
export async function ingestionServiceIn(mode: 'direct' | 'batched' | 'queued'): Promise<IngestionService> {
  if (mode === 'queued') await emptyRedis();
  const upgradeUrl = 'https://example.com/upgrade';
  const monthlyRequests = 500;
  const app = await createTestApp({
    env: { ...modeEnv(mode), UPGRADE_URL: upgradeUrl, MONTHLY_REQUEST_LIMITS: `free=${monthlyRequests}` },
  });
  return {
    url: app.url,
    upgradeUrl,
    monthlyRequests,
    database: new IngestionDatabase((statement, parameters) => app.rows(statement, parameters)),
    newTenant: () => ownerWithProject(app),
    settled: () => settled(mode),
    close: () => app.close(),
  };
}
