import { ownerWithProject } from './actors.js';
import { createApiApp, createTestApp } from './app.js';
import { emptyRedis, modeEnv, settled } from './ingestion.js';
import type { IngestionService } from './ingestion-rules.js';
import { IngestionDatabase } from './sql-builders/ingestion.js';

/** Starts a service in one ingest mode. */
export async function ingestionServiceIn(mode: 'direct' | 'batched' | 'queued'): Promise<IngestionService> {
  if (mode === 'queued') await emptyRedis();
  const upgradeUrl = 'https://example.com/upgrade';
  const monthlyRequests = 500;
  // A worker stores what `queued` accepts. The other modes need no worker.
  const create = mode === 'queued' ? createTestApp : createApiApp;
  const app = await create({
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
