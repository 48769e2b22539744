// Which files begin first, so that none of the long ones is left to a single worker at the end. Where an earlier run told
// how long each takes Jest sorts by that; on a new machine it would sort by size, which says little of files that wait.
import TestSequencer from '@jest/test-sequencer';

/** They take long and wait much: for processes to start and end, for leases, for the polls of streams, for a second engine. */
const LONG = [
  'integration/embedded-postgres',
  'e2e/processes/ingest',
  'e2e/processes/delivery',
  'e2e/processes/service',
  'e2e/events/streams',
  'e2e/processes/worst-inputs',
  'e2e/events/ingest-races',
  'e2e/processes/database',
  'e2e/processes/alerts',
  'integration/object-store',
  'e2e/entitlement/billing-checkout',
  'integration/queue',
  'e2e/events/event-store-reads',
  'e2e/events/event-store-search',
  'e2e/events/on-clickhouse/eql',
  'e2e/events/on-clickhouse/analytics',
  'e2e/events/on-clickhouse/performance',
  'e2e/events/on-clickhouse/explorer',
  'e2e/events/on-clickhouse/search',
  'e2e/events/on-clickhouse/event-retention',
  'e2e/events/on-clickhouse/large-events',
  'e2e/alerting/evaluation',
  'e2e/entitlement/objects',
  'e2e/delivery/fairness',
  'e2e/processes/storage',
  'e2e/alerting/windows',
  'e2e/processes/alert-notices',
  'e2e/events/performance',
  'e2e/alerting/silences',
  'e2e/entitlement/billing-faults',
].map((name) => `/test/${name}.spec.ts`);

export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const first = LONG.flatMap((name) => sorted.find(({ path }) => path.endsWith(name)) ?? []);
    return [...first, ...sorted.filter((test) => !first.includes(test))];
  }
}
