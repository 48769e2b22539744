import { beforeEach, describe, expect, it } from '@jest/globals';
import { activityOf } from '../../support/activity.js';
import { eventually } from '../../support/eventually.js';
import { faultsOf, RulesApi } from '../../support/rules-api.js';
import { type Tenant, tenant } from '../../support/service.js';
import { storeEvents, storeFinding } from '../../support/sql-builders/rule-runs.js';
import { fillAlertRules, storedAlertRules } from '../../support/sql-builders/rules.js';

const MINUTE_MS = 60_000;
const COUNT = { window_seconds: 300, aggregate: 'count' };

interface Backtest {
  readonly truncated: boolean;
  readonly firings: readonly object[];
}

describe('a preview of an alert rule', () => {
  let acme: Tenant;
  let rules: RulesApi;

  beforeEach(async () => {
    acme = await tenant();
    rules = new RulesApi(acme);
  });

  it('returns what a back-test of the same rule returns once it is stored', async () => {
    const now = Date.now();
    const window = { from_ts: new Date(now - 10 * MINUTE_MS).toISOString(), to_ts: new Date(now).toISOString() };
    await storeEvents(acme.projectId, [
      ...[500, 490, 200].map((secondsAgo) => ({ secondsAgo, properties: { shop: 'north' } })),
      ...[195, 190].map((secondsAgo) => ({ secondsAgo, properties: { shop: 'south' } })),
    ]);
    await storeFinding(acme.projectId, {
      kind: 'rate_spike',
      severity: 'critical',
      seriesType: 'project',
      seriesValue: '',
      actual: 60,
      startedAt: new Date(now - 5 * MINUTE_MS),
      lastSeenAt: new Date(now - 4 * MINUTE_MS),
    });
    const given = [
      { condition: { kind: 'match' }, group_by: ['properties.shop'], cooldown_seconds: 60 },
      { condition: { kind: 'match' }, for_seconds: 8, keep_firing_seconds: 30 },
      { condition: { kind: 'threshold', ...COUNT, op: 'gte', value: 2 }, group_by: ['properties.shop'] },
      { condition: { kind: 'rate_of_change', ...COUNT, compare_seconds: 300, direction: 'up', percent: 10 } },
      { condition: { kind: 'absence', window_seconds: 60 } },
      { condition: { kind: 'anomaly' }, severity: 'info' },
    ];
    for (const rule of given) {
      const previewed = await rules.preview({ ...rule, ...window }).expect(200);
      const { body } = await rules.backtest(await rules.rule({ ...rule, is_enabled: false }), window).expect(200);
      const backtest = body as Backtest;
      expect(previewed.body).toEqual({ ...backtest, rule_id: null });
      expect([rule, backtest.truncated, backtest.firings.length > 0]).toEqual([rule, false, true]);
    }
  });

  it('covers the last 24 hours by default, and its reasons have the name of the rule', async () => {
    await storeEvents(acme.projectId, [{ secondsAgo: 3_600 }, { secondsAgo: 90_000 }]);
    const { body } = await rules.preview({ name: 'Too quiet', condition: { kind: 'match' } }).expect(200);
    expect(body).toMatchObject({ evaluations: 1, firings: [{ reason: 'Too quiet: e' }] });
    const { from_ts: from, to_ts: to } = body as { from_ts: string; to_ts: string };
    expect(Date.parse(to) - Date.parse(from)).toBe(86_400_000);
  });

  it('stores neither a rule nor an audit entry, and does not count against the limit of rules', async () => {
    await fillAlertRules(acme.projectId, 200);
    const stored = () => Promise.all([storedAlertRules(acme.projectId), activityOf(acme)]);
    const before = await stored();
    await rules.preview({ runbook_url: 'https://wiki.example.com', notes: 'Call the bank.' }).expect(200);
    expect(await stored()).toEqual(before);
    await rules.create().expect(409, { detail: 'Project has too many alert rules' });
  });

  it('tries the patterns of its rule like the creation of a rule', async () => {
    const pattern = '(?:(^|a)*(b|$)*){20}x';
    const condition = { kind: 'match', not: { field: 'message', op: 'matches', value: pattern } };
    const refused = await eventually(
      async () => rules.preview({ condition }),
      ({ status }) => status !== 503,
    );
    const reason = 'Value error, the pattern cannot be used: PostgreSQL takes too long for it';
    expect([refused.status, faultsOf(refused)]).toEqual([422, [['condition.not.value', reason]]]);
  });
});

describe('the creation of an alert rule', () => {
  it.each<[string, object]>([
    ['without a preview', {}],
    ['with preview false', { preview: false }],
    ['with preview null', { preview: null }],
  ])('ignores the window of a preview %s', async (_, preview) => {
    const rules = new RulesApi(await tenant());
    const window = { from_ts: '2026-03-02T00:00:00Z', to_ts: '2026-03-01T00:00:00Z' };
    await rules.create({ ...preview, ...window }).expect(201);
    expect(await rules.list()).toHaveLength(1);
  });
});
