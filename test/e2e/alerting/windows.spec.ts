import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { eventIs, RulesApi } from '../../support/rules-api.js';
import { api, job, type Tenant, tenant } from '../../support/service.js';
import {
  countStoredEvents,
  groupByUnknownField,
  lastEvaluation,
  makeRuleDue,
  moveEventsBack,
  secondsUntilEvaluation,
  storeCondition,
  type StoredEvent,
  storeEvents,
} from '../../support/sql-builders/rule-runs.js';

const COUNT_OVER_10 = { kind: 'threshold', window_seconds: 300, aggregate: 'count', op: 'gt', value: 10 };
const HOUR = 3_600;
const WEEK = 604_800;

interface Alert {
  id: string;
  alert_rule_id: string;
  status: string;
  group_values: object;
  payload: { value: number };
}

describe('a rule on a window', () => {
  let acme: Tenant;
  let rules: RulesApi;

  beforeEach(async () => {
    acme = await tenant();
    rules = new RulesApi(acme);
  });

  /** Stores so many events at a time before now. */
  const put = (secondsAgo: number, more: Partial<StoredEvent> = {}, times = 1): Promise<void> =>
    storeEvents(
      acme.projectId,
      Array.from({ length: times }, () => ({ secondsAgo, ...more })),
    );
  /** Waits until a rule has been evaluated after now. @returns the state that it shows */
  const evaluated = async (id: string): Promise<string> => {
    const due = await makeRuleDue(id);
    await eventually(
      async () => {
        await job('rule-evaluations');
        return lastEvaluation(id);
      },
      (at) => at !== null && at >= due,
      (at) => `the rule ${id} was evaluated at ${String(at)}, and not since ${String(due)}`,
    );
    return rules.stateOf(id);
  };
  /** The alert events of the project, the oldest first. */
  const alerts = async (): Promise<Alert[]> => {
    const query = { project_id: acme.projectId, limit: 500 };
    const { body } = await api.as(acme.owner).get('/v1/alerts/events', query).expect(200);
    return (body as { items: Alert[] }).items.toReversed();
  };
  const statuses = async (): Promise<string[]> => (await alerts()).map(({ status }) => status);

  it('fires another alert when people have resolved the first one and its condition still holds', async () => {
    await put(5, {}, 20);
    const id = await rules.rule({ condition: COUNT_OVER_10 });
    expect(await evaluated(id)).toBe('firing');
    const [first, ...others] = await alerts();
    expect([first?.status, others]).toEqual(['open', []]);
    await api.as(acme.owner).post(`/v1/alerts/events/${first?.id}/resolve`).expect(200);
    expect([await evaluated(id), await statuses()]).toEqual(['firing', ['resolved', 'open']]);
    expect([await evaluated(id), await statuses()]).toEqual(['firing', ['resolved', 'open']]);
  });

  it('computes each aggregate of its window', async () => {
    const aggregates: [aggregate: string, field: string | undefined, expected: number][] = [
      ['count', undefined, 5],
      ['error_rate', undefined, 0.4],
      ['sum', 'properties.n', 16],
      ['avg', 'properties.n', 4],
      ['min', 'properties.n', 1],
      ['max', 'properties.n', 9],
      ['p50', 'properties.n', 2],
      ['p95', 'properties.n', 9],
      ['p99', 'log.latency_ms', 70],
      ['max', 'log.status', 503],
    ];
    for (const [n, status] of [
      [1, 200],
      [2, 500],
      [9, 503],
      [4, 404],
      ['7', 200],
    ] as const) {
      await put(10, { properties: { n }, status, latencyMs: typeof n === 'number' ? n * 10 - 20 : 70 });
    }
    await put(10, { event: 'other', properties: { n: 1_000 }, status: 504, latencyMs: 9_000 }, 3);
    // One event before the window, and one that is not in it yet.
    for (const secondsAgo of [400, -HOUR]) {
      await put(secondsAgo, { properties: { n: 1_000 }, status: 504, latencyMs: 9_000 });
    }
    for (const [aggregate, aggregate_field, value] of aggregates) {
      const condition = { ...COUNT_OVER_10, ...eventIs('e'), aggregate, aggregate_field, op: 'eq', value };
      const id = await rules.rule({ condition });
      expect([aggregate, aggregate_field, await evaluated(id)]).toEqual([aggregate, aggregate_field, 'firing']);
      const ofRule = (await alerts()).filter(({ alert_rule_id }) => alert_rule_id === id);
      expect(ofRule.map(({ status, payload }) => [status, payload.value])).toEqual([['open', value]]);
    }
  });

  it('fires for a change by 50 percent in its direction, and for no smaller one', async () => {
    const changes: [fires: boolean, direction: string, before: number, now: number][] = [
      [true, 'up', 10, 15],
      [false, 'up', 10, 14],
      [false, 'up', 10, 5],
      [true, 'down', 10, 5],
      [false, 'down', 10, 6],
      [true, 'both', 10, 15],
      [true, 'both', 10, 5],
      [false, 'both', 10, 11],
      [false, 'up', 0, 15],
      [true, 'down', 10, 0],
    ];
    for (const [fires, direction, before, now] of changes) {
      const event = `${direction}.${before}.${now}`;
      await put(HOUR + 300, { event }, before);
      await put(300, { event }, now);
      const condition = { kind: 'rate_of_change', window_seconds: 600, compare_seconds: HOUR, aggregate: 'count' };
      const id = await rules.rule({ condition: { ...condition, ...eventIs(event), direction, percent: 50 } });
      expect([event, await evaluated(id)]).toEqual([event, fires ? 'firing' : 'inactive']);
      const ofRule = (await alerts()).filter(({ alert_rule_id }) => alert_rule_id === id);
      const expected = {
        status: 'open',
        payload: expect.objectContaining({ value: now, previous: before }) as unknown,
      };
      expect(ofRule).toMatchObject(fires ? [expected] : []);
    }
  });

  it('compares with the same time a week before', async () => {
    await put(WEEK + 1_800, {}, 10);
    await put(1_800, {}, 15);
    // A window of an hour is measured by the counts of hours.
    await countStoredEvents(acme.projectId);
    const condition = { kind: 'rate_of_change', window_seconds: HOUR, compare_seconds: WEEK, aggregate: 'count' };
    const id = await rules.rule({ condition: { ...condition, direction: 'up', percent: 50 } });
    expect([await evaluated(id), await statuses()]).toEqual(['firing', ['open']]);
    expect((await alerts())[0]?.payload).toMatchObject({ value: 15, previous: 10, compare_seconds: WEEK });
  });

  it('keeps groups apart, and the alerts of groups beyond the largest hundred as they are', async () => {
    await put(5, { properties: { shop: 'small' } }, 2);
    await put(5, { properties: { shop: 'single' } });
    const id = await rules.rule({ condition: { ...COUNT_OVER_10, value: 1 }, group_by: ['properties.shop'] });
    expect([await evaluated(id), await statuses()]).toEqual(['firing', ['open']]);
    expect((await alerts())[0]?.group_values).toEqual({ 'properties.shop': 'small' });
    // An evaluation looks at a hundred groups, and these are larger.
    const larger = Array.from({ length: 300 }, (_, n) => ({ secondsAgo: 0, properties: { shop: n % 100 } }));
    await storeEvents(acme.projectId, larger);
    await evaluated(id);
    const all = await statuses();
    expect(all).toHaveLength(101);
    expect(all.filter((status) => status !== 'open')).toEqual([]);
    await moveEventsBack(acme.projectId, 301);
    await evaluated(id);
    expect((await statuses()).filter((status) => status !== 'resolved')).toEqual([]);
  });

  it('waits after a failed evaluation and says why it failed, while other rules are evaluated', async () => {
    const [broken, unreadable] = [
      await rules.rule({ condition: COUNT_OVER_10 }),
      await rules.rule({ condition: COUNT_OVER_10 }),
    ];
    await storeCondition(unreadable, { kind: 'threshold' });
    await groupByUnknownField(broken);
    const good = await rules.rule({ condition: { ...COUNT_OVER_10, op: 'lt' } });
    expect(await evaluated(good)).toBe('firing');
    for (const [id, reason] of [
      [broken, 'It failed by a fault of the service; it is tried again'],
      [unreadable, 'Its condition is no longer accepted: window_seconds: Field required'],
    ] as const) {
      await eventually(
        async () => (await rules.get(id)).last_error,
        (error) => error === reason,
      );
      // The wait is a minute, of which some may have passed.
      await eventually(
        () => secondsUntilEvaluation(id),
        (seconds) => seconds > 30,
      );
    }
    expect((await rules.get(good)).last_error).toBeNull();
    expect(await secondsUntilEvaluation(good)).toBeLessThanOrEqual(30);
    expect(await statuses()).toEqual(['open']);
  });
});
