import { beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { RulesApi } from '../../support/rules-api.js';
import { type SentinelApi, sentinelOf } from '../../support/sentinel-api.js';
import { api, type Tenant, tenant } from '../../support/service.js';
import {
  forgetSeries,
  lengthenFindings,
  moveFindingsBack,
  storeFinding,
} from '../../support/sql-builders/rule-runs.js';

const DAY = 288;
const HOUR_MS = 3_600_000;
const BUCKET_MS = 300_000;

interface Alert {
  alert_rule_id: string;
  status: string;
  occurrences: number;
  severity: string;
  event_type: string | null;
  message: string;
  payload: { severity: string };
}

interface Backtest {
  truncated: boolean;
  firings: { at: string; until: string | null; reason: string }[];
}

describe('a rule of kind anomaly', () => {
  let acme: Tenant;
  let sentinel: SentinelApi;
  let rules: RulesApi;

  beforeEach(async () => {
    acme = await tenant();
    sentinel = await sentinelOf(acme);
    rules = new RulesApi(acme);
  });

  /** The alert events of the project, the newest first. */
  const alerts = async (): Promise<Alert[]> => {
    const query = { project_id: acme.projectId };
    return ((await api.as(acme.owner).get('/v1/alerts/events', query).expect(200)).body as { items: Alert[] }).items;
  };
  const shown = async (): Promise<unknown[]> =>
    (await alerts()).map(({ status, occurrences, severity, event_type: type }) => [
      status,
      occurrences,
      severity,
      type,
    ]);
  const rule = (more: object = {}): Promise<string> =>
    rules.rule({ condition: { kind: 'anomaly' }, severity: 'critical', ...more });

  it.each([
    ['all', [{ field: 'properties.x', op: 'eq', value: 1 }], 0],
    ['any', [{ field: 'event', op: 'eq', value: 'a' }], 0],
    [
      'all',
      [
        { field: 'kind', op: 'exists' },
        { field: 'properties', op: 'exists' },
      ],
      1,
    ],
  ])('returns 422 with the fields of findings for another field in %s', async (group, comparisons, at) => {
    const condition = { kind: 'anomaly', [group]: comparisons };
    const { body } = await rules.create({ condition }).expect(422);
    expect(body).toMatchObject({
      detail: [
        {
          type: 'value_error',
          loc: ['body', 'condition', group, at, 'field'],
          msg: 'Value error, unknown field; fields are kind, severity, series_type, series_value, metric, score, actual, expected',
        },
      ],
    });
  });

  it('fires when a finding opens and when it opens again, and recovers when the finding ends', async () => {
    await sentinel.put(-4 * DAY, -9, { events: 5 });
    for (let bucket = -8; bucket <= 0; bucket++) {
      await sentinel.put(bucket, bucket, { events: [-8, -7, -3].includes(bucket) ? 60 : 5 });
    }
    await sentinel.count();
    const id = await rule();
    await sentinel.watchFrom(-8);
    await sentinel.detect();
    // By default, a back-test covers the past, and the buckets of this test are ahead of now.
    await moveFindingsBack(acme.projectId, 6 * 60);
    const finding = await sentinel.first();
    expect(finding.status).toBe('resolved');
    expect(await shown()).toEqual([
      ['resolved', 1, 'critical', null],
      ['resolved', 1, 'critical', null],
    ]);
    const [alert] = await alerts();
    expect(alert).toMatchObject({ alert_rule_id: id, message: finding.summary, event_id: null });
    expect(alert?.payload).toMatchObject({ id: finding.id, kind: 'rate_spike', status: 'open', actual: 60 });
    expect(await rules.get(id)).toMatchObject({ state: 'inactive', group_by: [] });
    const { body } = await rules.backtest(id).expect(200);
    expect(body).toMatchObject({ evaluations: 1, step_seconds: null, truncated: false });
    expect((body as Backtest).firings).toMatchObject([
      { at: finding.started_at, until: finding.resolved_at, event_id: null },
    ]);
  });

  it('fires only for findings that fit its condition, and only after for_seconds', async () => {
    await rule({ condition: { kind: 'anomaly', finding_kinds: ['silence'] } });
    await rule({ condition: { kind: 'anomaly', min_severity: 'critical' } });
    await rule({ condition: { kind: 'anomaly', all: [{ field: 'actual', op: 'gt', value: 60 }] } });
    await rule({ is_enabled: false });
    const later = await rule({ for_seconds: 600 });
    await sentinel.detectHistory({ events: 5 }, [{ events: 60 }]);
    expect(await alerts()).toEqual([]);
    expect(await rules.get(later)).toMatchObject({ state: 'pending' });
    await sentinel.put(0, 0, { events: 60 });
    await sentinel.count();
    await lengthenFindings(acme.projectId, 10);
    await forgetSeries(acme.projectId);
    await sentinel.watchFrom(0);
    await sentinel.detect();
    expect((await alerts()).map(({ alert_rule_id: id }) => id)).toContain(later);
    expect(await rules.get(later)).toMatchObject({ state: 'firing' });
  });

  it('fires when its finding reaches the least severity later, with the figures of the worst bucket', async () => {
    const critical = await rule({ condition: { kind: 'anomaly', min_severity: 'critical' } });
    // Usually nothing fails, so the first failures have the highest score already.
    await sentinel.put(-4 * DAY, -2, { events: 30 });
    await sentinel.put(-1, -1, { events: 80, errors: 20 });
    await sentinel.put(0, 0, { events: 80, errors: 80 });
    await sentinel.count();
    await sentinel.watchFrom(-1);
    await sentinel.detectTo(-1);
    const before = await sentinel.first();
    expect(before).toMatchObject({ kind: 'error_burst', severity: 'warning', score: 1, actual: 0.25 });
    expect(await alerts()).toEqual([]);
    await sentinel.detectTo(0);
    const [finding, ...others] = await sentinel.findings();
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ id: before.id, severity: 'critical', score: 1, actual: 1, expected: 0 });
    expect(finding?.summary).toContain('100 %');
    expect((await alerts()).map(({ alert_rule_id: id, payload }) => [id, payload.severity])).toEqual([
      [critical, 'critical'],
    ]);
  });

  it('fires for a new event type after for_seconds, and recovers a day after the type came', async () => {
    const condition = { kind: 'anomaly', finding_kinds: ['new_event_type'], min_severity: 'info' };
    const [later, never] = [
      await rule({ condition, for_seconds: 600 }),
      await rule({ condition, for_seconds: 86_400 }),
    ];
    await sentinel.put(-4 * DAY, 0, { events: 5 });
    await sentinel.put(-3, -3, { events: 1, event: 'refunded' });
    await sentinel.count();
    await sentinel.watchFrom(-3);
    await sentinel.detectTo(-3);
    const states = async (): Promise<unknown[]> => Promise.all([later, never].map((id) => rules.stateOf(id)));
    expect([await states(), await alerts()]).toEqual([['pending', 'pending'], []]);
    await sentinel.detectTo(0);
    expect(await states()).toEqual(['firing', 'pending']);
    const finding = await sentinel.first();
    expect(await alerts()).toMatchObject([
      { alert_rule_id: later, event_type: 'refunded', occurrences: 1, message: finding.summary, status: 'open' },
    ]);
    expect(finding).toMatchObject({ last_seen_at: finding.started_at, status: 'open' });
    // A day later it is no longer new.
    await moveFindingsBack(acme.projectId, 24 * 60);
    await sentinel.put(0, 0, { events: 1, event: 'refunded' });
    await sentinel.watchFrom(0);
    await sentinel.detect();
    expect(await sentinel.statuses()).toEqual(['resolved']);
    expect(await states()).toEqual(['inactive', 'inactive']);
    expect((await alerts()).map(({ status }) => status)).toEqual(['resolved']);
  });

  it('has a back-test that fires for the findings of the window that fit the condition', async () => {
    const now = Date.now();
    const findings: [
      kind: string,
      severity: string,
      series: string,
      value: string,
      actual: number | null,
      hoursAgo: number,
      buckets: number,
      ended: 'resolvedAt' | 'dismissedAt' | null,
    ][] = [
      ['rate_spike', 'warning', 'project', '', 60, 6, 3, 'resolvedAt'],
      ['silence', 'critical', 'event', 'paid', 0, 5, 12, null],
      ['new_event_type', 'info', 'event', 'sent', null, 4, 0, null],
      ['error_burst', 'warning', 'source', randomUUID(), 0.5, 3, 0, 'dismissedAt'],
      // Before the window.
      ['rate_drop', 'critical', 'project', '', 0, 30, 3, 'resolvedAt'],
    ];
    for (const [kind, severity, seriesType, seriesValue, actual, hoursAgo, buckets, ended] of findings) {
      const startedAt = new Date(now - hoursAgo * HOUR_MS);
      const lastSeenAt = new Date(startedAt.getTime() + buckets * BUCKET_MS);
      const end = ended === null ? {} : { [ended]: new Date(lastSeenAt.getTime() + 3 * BUCKET_MS) };
      const finding = { kind, severity, seriesType, seriesValue, actual, startedAt, lastSeenAt, ...end };
      await storeFinding(acme.projectId, finding);
    }
    const condition = { kind: 'anomaly' };
    const all = { ...condition, min_severity: 'info' };
    const rows: [what: string, rule: object, wanted: string[]][] = [
      ['warnings by default', { condition }, ['rate_spike', 'silence', 'error_burst']],
      ['all', { condition: all }, ['rate_spike', 'silence', 'new_event_type', 'error_burst']],
      ['the critical', { condition: { ...condition, min_severity: 'critical' } }, ['silence']],
      ['kinds', { condition: { ...all, finding_kinds: ['new_event_type', 'silence'] } }, ['silence', 'new_event_type']],
      [
        'a filter',
        { condition: { ...all, all: [{ field: 'actual', op: 'gt', value: 0.2 }] } },
        ['rate_spike', 'error_burst'],
      ],
      [
        'none of a type',
        { condition: { ...all, not: { field: 'series_type', op: 'eq', value: 'event' } } },
        ['rate_spike', 'error_burst'],
      ],
      ['a time that few findings last', { condition: all, for_seconds: 900 }, ['rate_spike', 'silence']],
    ];
    const window = { from_ts: new Date(now - 24 * HOUR_MS).toISOString(), to_ts: new Date(now).toISOString() };
    const backtest = async (id: string): Promise<Backtest> =>
      (await rules.backtest(id, window).expect(200)).body as Backtest;
    const fired: [string, string[]][] = [];
    for (const [what, given] of rows) {
      const { truncated, firings } = await backtest(await rule(given));
      expect(truncated).toBe(false);
      fired.push([what, firings.map(({ reason }) => reason)]);
    }
    expect(fired).toEqual(rows.map(([what, , wanted]) => [what, wanted]));
    const { firings } = await backtest(await rule({ condition: all, for_seconds: 900 }));
    expect(firings.map(({ at, until }) => [at, until])).toEqual([
      [new Date(now - 6 * HOUR_MS + 900_000).toISOString(), new Date(now - 6 * HOUR_MS + 1_800_000).toISOString()],
      [new Date(now - 5 * HOUR_MS + 900_000).toISOString(), null],
    ]);
  });

  it('fires with the condition of the guide, and its finding takes the dismissal of the guide', async () => {
    const guide = readFileSync('docs/guide/sentinel.md', 'utf8');
    const example = (name: string): object =>
      JSON.parse(new RegExp('```json ' + name + '\\n([\\s\\S]*?)```').exec(guide)?.[1] ?? '') as object;
    await rule({ condition: example('rule') });
    await sentinel.detectHistory({ events: 7 }, [null, null, null]);
    expect(await shown()).toEqual([['open', 1, 'critical', null]]);
    const { id } = await sentinel.first();
    expect((await sentinel.act(id, 'dismiss', example('dismiss')).expect(200)).body).toMatchObject({
      status: 'dismissed',
    });
  });

  it('recovers when its finding is dismissed', async () => {
    await rule();
    await sentinel.detectHistory({ events: 5 }, [{ events: 60 }]);
    const { id } = await sentinel.first();
    expect(await shown()).toEqual([['open', 1, 'critical', null]]);
    await sentinel.act(id, 'dismiss', { reason: 'expected' }).expect(200);
    expect(await shown()).toEqual([['resolved', 1, 'critical', null]]);
  });
});
