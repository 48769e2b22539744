// Questions about events, each with as much work as the limits allow.
import { times } from './attacker.mjs';

const LINES_A_REQUEST = 500;
/** This text is longer than the part that a pattern searches, and it has no end that a pattern could match. */
const TEXT = 'ab'.repeat(2_500);
/** A search follows all alternatives of this pattern at the same time. */
const PATTERN = '(a|b)*a(a|b){90}c';
const STEPS = ['worst.0', 'worst.1', 'worst.2', 'worst.3', 'worst.4'];

const queryOf = (entries) => new URLSearchParams(entries).toString();

/** `n` differs from event to event, so that there are as many values, keys and latencies as events. */
function line(n) {
  return JSON.stringify({
    event_type: `worst.${n % STEPS.length}`,
    source: 'w',
    payload: {
      n,
      key: `k${n}`,
      text: TEXT,
      method: 'GET',
      path: `/p/${n}`,
      status_code: 400 + (n % 500),
      latency_ms: n * 7,
    },
  });
}

export const INSIGHT = [
  {
    name: 'questions about events',
    async prepare(attacker, size) {
      for (let from = 0; from < size.asked && !attacker.deadline.aborted; from += LINES_A_REQUEST) {
        const count = Math.min(LINES_A_REQUEST, size.asked - from);
        await attacker.lines(Array.from({ length: count }, (_, at) => line(from + at)));
      }
      return {};
    },
    attacks: {
      'breakdown by distinct values': (attacker, size) =>
        times(size.readers, () => attacker.get(`/v1/analytics/breakdown?${about(attacker)}&by=properties.n&limit=100`)),
      'breakdown where a pattern fits': (attacker, size) =>
        times(size.readers, () =>
          attacker.get(
            `/v1/analytics/breakdown?${about(attacker)}&by=event&${queryOf([['where', `properties.text regex "${PATTERN}"`]])}`,
          ),
        ),
      'funnel of distinct values': (attacker, size) =>
        times(size.readers, () =>
          attacker.get(
            `/v1/analytics/funnel?${about(attacker)}&by=properties.key&${queryOf(STEPS.map((step) => ['step', step]))}`,
          ),
        ),
      'performance by the minute': (attacker, size) =>
        times(size.readers, () =>
          attacker.get(`/v1/performance/timeseries?project_id=${attacker.projectId}&range=24h&interval=minute`),
        ),
      'endpoints by percentile': (attacker, size) =>
        times(size.readers, () => attacker.get(`/v1/performance/endpoints?${about(attacker)}&sort=p95&limit=200`)),
      'search of eight words': (attacker, size) =>
        times(size.readers, () =>
          attacker.get(`/v1/search?${about(attacker)}&${queryOf([['q', 'aa bb cc dd ee ff gg hh']])}`),
        ),
      'EQL with a pattern': (attacker, size) =>
        times(size.readers, () => eql(attacker, `any where properties.text regex "${PATTERN}"`)),
      'EQL sequence of distinct keys': (attacker, size) =>
        times(size.readers, () =>
          eql(attacker, 'sequence by properties.key [any where true] [any where log.status == 1]'),
        ),
    },
  },
];

function about(attacker) {
  return `project_id=${attacker.projectId}&range=all`;
}

function eql(attacker, query) {
  return attacker.post('/v1/eql', { project_id: attacker.projectId, query, range: 'all' });
}
