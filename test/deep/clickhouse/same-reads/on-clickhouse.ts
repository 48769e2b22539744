// The suite that is imported behind this file runs on a service that reads events from ClickHouse. Each of its reads
// waits until every event is replicated.
import { afterAll, beforeAll, expect } from '@jest/globals';
import { eventually } from '../../../support/eventually.js';

process.env.TEST_READS = 'clickhouse';
// That both stores give the same answers is shown by the comparison of both: few cases of a property are enough here.
process.env.INSIGHT_RUNS ??= '12';
process.env.EQL_RUNS ??= '40';

let before = 0;

beforeAll(async () => {
  before = await readsFromClickHouse();
});
afterAll(async () => {
  await eventually(readsFromClickHouse, (reads) => reads > before);
  expect(await readsFromClickHouse()).toBeGreaterThan(before);
});

/** How many reads ClickHouse has answered. `/metrics` keeps its answer for a second. */
async function readsFromClickHouse(): Promise<number> {
  const { api, service } = await import('../../../support/service.js');
  const { text } = await api.get('/metrics').set('X-Internal-Token', service.internalToken).expect(200);
  return Number(/^oes_event_store_reads_total\{store="clickhouse"\} (\d+)/m.exec(text)?.[1] ?? 0);
}
