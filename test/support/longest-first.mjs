// Starts the longest files first, so that no worker runs one of them alone at the end. Jest sorts by the durations of
// an earlier run where it has them. On a new machine it would sort by size, which says little about the duration of
// files that wait.
import TestSequencer from '@jest/test-sequencer';

/** These files wait long: for processes to start and end, for leases, for polls, for a second engine. */
const LONG = [
  'deep/clickhouse/event-store',
  'deep/clickhouse/event-store-reads',
  'deep/faults/intake',
  'deep/faults/ingest',
  'deep/faults/ingest-races',
  'deep/faults/service',
  'deep/faults/delivery',
  'deep/clickhouse/same-reads/eql',
  'deep/faults/worst-inputs',
  'deep/console/alerting',
  'deep/console/insight',
  'deep/clickhouse/hot-backtests',
  'deep/console/console-pages',
  'deep/faults/embedded-postgres',
  'deep/storage/object-store',
  'deep/clients/compiled-clients',
  'deep/clients/sender-faults',
  'deep/clickhouse/event-store-search',
  'deep/clickhouse/same-reads/analytics',
  'deep/clickhouse/same-reads/performance-integration',
  'deep/faults/alerts',
  'deep/faults/database',
  'e2e/platform/access',
  'smoke/killed-process',
  'e2e/platform/rate-limit-policies',
  'e2e/alerting/sentinel',
  'integration/alerting/rule-runs',
  'integration/entitlement/billing',
  'e2e/alerting/silences',
  'integration/events/ingest-modes',
  'integration/events/limits-of-reads',
  'integration/events/stored-events',
  'integration/rate-limits',
  'integration/identity/sign-in',
  'integration/operations/processes',
  'integration/encryption',
  'e2e/delivery/engine',
  'integration/platform/http',
  'integration/alerting/alert-rules',
  'e2e/entitlement/objects',
  'e2e/alerting/deliveries',
  'integration/identity',
  'integration/two-instances',
  'integration/platform/overload',
  'e2e/platform/day-of-a-shop',
  'e2e/alerting/rules',
  'e2e/alerting/events',
  'e2e/alerting/evaluation',
  'e2e/entitlement/billing-webhook',
  'integration/events/reads-at-size',
  'e2e/alerting/sentinel-findings',
  'integration/entitlement/contents',
  'integration/queue',
  'integration/event-conditions',
  'e2e/alerting/windows',
  'e2e/entitlement/billing-checkout',
  'integration/delivery/attempts',
  'e2e/events/streams',
  'integration/events/ingestion',
  'integration/delivery/destinations',
  'e2e/events/eql',
  'e2e/events/analytics',
].map((name) => `/test/${name}.spec.ts`);

export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const first = LONG.flatMap((name) => sorted.find(({ path }) => path.endsWith(name)) ?? []);
    return [...first, ...sorted.filter((test) => !first.includes(test))];
  }
}
