import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { RULES_ENV } from '../../support/rules.js';

/** The application that all suites of a file share. To load and start one takes more processor time than most suites. */
export let app: TestApp;

beforeAll(async () => {
  // Enough connections for several projects at a time, as by default.
  app = await createTestApp({ env: { ...RULES_ENV, DATABASE_POOL_SIZE: '10' } });
});
// A run of a job also processes what earlier tests have left.
beforeEach(async () => {
  for (const table of ['alert_rules', 'event_watches', 'event_outbox', 'event_match_marks', 'alert_events'])
    await app.rows(`DELETE FROM ${table}`);
});
afterAll(() => app.close());
