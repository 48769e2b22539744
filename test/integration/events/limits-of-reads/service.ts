import { afterAll, beforeAll } from '@jest/globals';
import { RunLimits } from '../../../../src/modules/events/eql/running/run-limits.js';
import { LONG_READ_MS, LongReads, LongSnapshots } from '../../../../src/modules/events/long-reads/index.js';
import { SearchLimits } from '../../../../src/modules/events/search/search-limits.js';
import { createApiApp, type TestApp } from '../../../support/app.js';

let app: TestApp;

beforeAll(async () => {
  app = await createApiApp();
});
afterAll(() => app.close());

/** Returns the service that the suites of a file share. Each suite begins with the usual limits, and then sets its own. */
export function service(): TestApp {
  const { nest } = app;
  Object.assign(nest.get(RunLimits, { strict: false }), new RunLimits());
  Object.assign(nest.get(SearchLimits, { strict: false }), new SearchLimits());
  Object.assign(nest.get(LongReads, { strict: false }).limits, new LongReads().limits);
  nest.get(LongSnapshots, { strict: false }).milliseconds = LONG_READ_MS;
  return app;
}
