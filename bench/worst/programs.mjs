// Input of a tenant that the service runs like a program: redaction paths, conditions, patterns, filters.
import { times } from './attacker.mjs';

const nested = (depth) => JSON.parse('['.repeat(depth) + '1' + ']'.repeat(depth));
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const any = (parts) => ({ any: parts });
const matching = (field, patterns) => any(patterns.map((value) => ({ field, op: 'matches', value })));
const numbered = (count, pattern) => Array.from({ length: count }, (_, at) => `${pattern}${at}`);

function redaction(name, paths, event) {
  return {
    name: `redaction: ${name}`,
    async prepare(attacker) {
      const body = JSON.stringify({ redacted_properties: paths });
      const { status } = await attacker.send('PUT', `/v1/projects/${attacker.projectId}/settings`, { body });
      return status === 200 ? {} : undefined;
    },
    attacks: { ingest: (attacker, size) => times(size.readers, () => attacker.event(event)) },
  };
}

/** Returns a case with a rule. The kind of `condition` is `match` unless `condition` names another one. */
function rule(name, condition, attacks) {
  return {
    name,
    prepare: (attacker) =>
      attacker.create('/v1/alert-rules', {
        project_id: attacker.projectId,
        name: 'Worst',
        condition: { kind: 'match', ...condition },
      }),
    attacks,
  };
}

const sending = (payload, more) => ({
  ingest: async (attacker, size) => {
    await times(size.readers, () => attacker.event(payload, more));
    await attacker.rest(size.matchMs);
  },
});

const backtests = (payload, more) => ({
  'events and back-tests': async (attacker, size, { id }) => {
    const line = JSON.stringify({ event_type: 'worst', source: 'w', payload, ...more });
    for (let sent = 0; sent < size.backtested; sent += 500) await attacker.lines(Array(500).fill(line));
    await times(size.readers, () => attacker.post(`/v1/alert-rules/${id}/backtest`, {}));
    await attacker.rest(size.matchMs);
  },
});

const threshold = { kind: 'threshold', window_seconds: 60, aggregate: 'count', op: 'gt', value: 1 };
/**
 * Returns a text without a pattern, the same in every run. A matcher that caches states finds a new state at each
 * position.
 */
function unordered(length) {
  let state = 1;
  return Array.from({ length }, () => ((state = (state * 48_271) % 2_147_483_647) % 2 === 0 ? 'a' : 'b')).join('');
}
const LONG_TEXT = unordered(2_000);
const LONGEST_TEXT = unordered(4_096);

export const PROGRAMS = [
  redaction('30 stars, 60 nested lists', [Array(30).fill('*').join('.')], { a: nested(60) }),
  redaction(
    '50 paths of stars, many lists',
    Array.from({ length: 50 }, (_, at) => `${'*.'.repeat(10)}p${at}`),
    { a: Array.from({ length: 2_000 }, () => nested(40)) },
  ),
  rule(
    'rule: 99 patterns of counted dots',
    matching('message', numbered(99, 'a.{99}.{99}.{99}.{99}.{60}c')),
    sending({}, { message: LONG_TEXT }),
  ),
  rule(
    'rule: 99 patterns of alternatives',
    matching('properties.p', numbered(99, '(a|b)*a(a|b){100}c')),
    sending({ p: LONGEST_TEXT }),
  ),
  rule(
    'rule: as many patterns as it takes',
    matching('properties.p', numbered(20, '(a|b)*a(a|b){100}c')),
    sending({ p: LONGEST_TEXT }),
  ),
  rule(
    'rule: 8 levels, 100 parts',
    Array.from({ length: 6 }).reduce(
      (inner) => ({ all: [inner] }),
      any(
        Array.from({ length: 80 }, (_, at) => ({ field: 'message', op: 'contains', value: `${'a'.repeat(400)}${at}` })),
      ),
    ),
    backtests({}, { message: LONG_TEXT }),
  ),
  rule(
    'windows: a pattern PostgreSQL refuses',
    { ...threshold, ...matching('message', ['(^|a|$){60}x']) },
    backtests({}, { message: LONG_TEXT }),
  ),
  rule(
    'windows: a pattern PostgreSQL is slow at',
    { ...threshold, ...matching('message', ['(?:(^|a)*(b|$)*){20}x']) },
    backtests({}, { message: LONG_TEXT }),
  ),
  {
    name: 'silence: 50 patterns',
    prepare: (attacker) =>
      attacker.create('/v1/alerts/silences', {
        project_id: attacker.projectId,
        filter: matching('message', numbered(50, '(a|b)*a(a|b){100}c')),
        ends_at: inAnHour(),
      }),
    attacks: {
      'alert events by hand': (attacker, size) =>
        times(size.readers, (at) =>
          attacker.post('/v1/alerts/events', {
            project_id: attacker.projectId,
            message: unordered(500),
            fingerprint: `f${at}`,
          }),
        ),
    },
  },
  {
    name: 'saved views at their limits',
    prepare: () => ({}),
    attacks: {
      'saves and lists': async (attacker, size) => {
        const path = `/v1/projects/${attacker.projectId}/saved-views`;
        const list = Array(150_000).fill({});
        await times(2 * size.readers, (at) => attacker.post(path, { name: `View ${at}`, filters: { list } }));
        await times(size.readers, () => attacker.get(path));
      },
    },
  },
];
