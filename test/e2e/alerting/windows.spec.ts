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

  it.each<[what: string, aggregate: string, field: string | undefined, expected: number]>([
    ['the count of events', 'count', undefined, 5],
    ['the error rate', 'error_rate', undefined, 0.4],
    ['the sum of a property', 'sum', 'properties.n', 16],
    ['the average of a property', 'avg', 'properties.n', 4],
    ['the minimum of a property', 'min', 'properties.n', 1],
    ['the maximum of a property', 'max', 'properties.n', 9],
    ['the p50 of a property', 'p50', 'properties.n', 2],
    ['the p95 of a property', 'p95', 'properties.n', 9],
    ['the p99 of the latency', 'p99', 'log.latency_ms', 70],
    ['the maximum of the status', 'max', 'log.status', 503],
  ])('computes in its window %s', async (_, aggregate, aggregate_field, expected) => {
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
    const condition = { ...COUNT_OVER_10, ...eventIs('e'), aggregate, aggregate_field, op: 'eq', value: expected };
    const id = await rules.rule({ condition });
    expect([await evaluated(id), await statuses()]).toEqual(['firing', ['open']]);
    expect((await alerts())[0]?.payload.value).toBe(expected);
  });

  it.each<[fires: 'fires' | 'does not fire', direction: string, before: number, now: number]>([
    ['fires', 'up', 10, 15],
    ['does not fire', 'up', 10, 14],
    ['does not fire', 'up', 10, 5],
    ['fires', 'down', 10, 5],
    ['does not fire', 'down', 10, 6],
    ['fires', 'both', 10, 15],
    ['fires', 'both', 10, 5],
    ['does not fire', 'both', 10, 11],
    ['does not fire', 'up', 0, 15],
    ['fires', 'down', 10, 0],
  ])(
    '%s for a change in direction "%s" by 50 percent when %d events become %d',
    async (fires, direction, before, now) => {
      await put(HOUR + 300, {}, before);
      await put(300, {}, now);
      const condition = { kind: 'rate_of_change', window_seconds: 600, compare_seconds: HOUR, aggregate: 'count' };
      const id = await rules.rule({ condition: { ...condition, direction, percent: 50 } });
      const expected = fires === 'fires' ? ['firing', ['open']] : ['inactive', []];
      expect([await evaluated(id), await statuses()]).toEqual(expected);
      if (fires === 'fires') expect((await alerts())[0]?.payload).toMatchObject({ value: now, previous: before });
    },
  );

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
