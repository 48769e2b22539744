import { ownerWithProject } from '../../support/actors.js';
import { createTestApp } from '../../support/app.js';
import { emptyRedis, INGEST_MODES, modeEnv, settled } from '../../support/ingestion.js';
import { describeIngestion } from '../../support/ingestion-rules.js';
import { IngestionDatabase } from '../../support/sql-builders/ingestion.js';

// The shared service is in batched mode: see test/e2e/events/ingest-rules.spec.ts.
for (const mode of INGEST_MODES.filter((one) => one !== 'batched')) {
  describeIngestion(mode, async () => {
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
  });
}
