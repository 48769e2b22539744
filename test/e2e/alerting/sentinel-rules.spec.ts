import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { WatchedProjectsRepository } from '../../../src/modules/alerting/sentinel/rounds/watched-projects.repository.js';
import { newId } from '../../../src/platform/ids/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type Json } from '../../support/delivery.js';
import { RULES_ENV, rulesOf } from '../../support/rules.js';
import { SentinelClient, type Steady } from '../../support/sentinel.js';

const DAY = 288;

describe('Sentinel', () => {
  let app: TestApp;
  let owner: Owner;
  let sentinel: SentinelClient;

  beforeAll(async () => {
    app = await createTestApp({ env: RULES_ENV });
  });
  beforeEach(async () => {
    // Those of the tests before would be judged along.
    await app.rows('DELETE FROM sentinel_projects');
    await app.rows(`UPDATE projects SET archived_at = now()`);
    // A machine that stood still for half a minute looks like an outage of ours.
    await app.rows('DELETE FROM alert_heartbeats');
    owner = await ownerWithProject(app);
    sentinel = new SentinelClient(app, owner);
  });
  afterAll(() => app.close());

  /** Four days like each other, then what is given for each bucket up to the newest. */
  const history = async (steady: Steady, then: readonly (Partial<Steady> | null)[], days = 4): Promise<void> => {
    await sentinel.put(-days * DAY - then.length, -then.length, steady);
    for (const [index, bucket] of then.entries()) {
      const place = index - then.length + 1;
      if (bucket !== null) await sentinel.put(place, place, { ...steady, ...bucket });
    }
    await sentinel.count();
    await sentinel.watchFrom(-then.length + 1);
    await sentinel.judge();
  };
  const kinds = async (): Promise<string[]> =>
    (await sentinel.findings()).map(({ kind, series, severity }: Json) => `${kind} ${series.type} ${severity}`);

  describe('a rule of kind anomaly', () => {
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
      const { status, body } = await rulesOf(app, owner).create({ condition });
      expect(status).toBe(422);
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

    const alerts = async (): Promise<Json[]> =>
      (await sentinel.send('get', `/v1/alerts/events?project_id=${owner.projectId}`)).body.items;
    const shown = async (): Promise<unknown[]> =>
      (await alerts()).map(({ status, occurrences, severity, event_type: type }: Json) => [
        status,
        occurrences,
        severity,
        type,
      ]);
    const rule = (more: object = {}): Promise<string> =>
      rulesOf(app, owner).rule({ condition: { kind: 'anomaly' }, severity: 'critical', ...more });

    it('fires by a finding, again where it opens again, and recovers with it', async () => {
      await sentinel.put(-4 * DAY, -9, { events: 5 });
      for (let bucket = -8; bucket <= 0; bucket++) {
        await sentinel.put(bucket, bucket, { events: [-8, -7, -3].includes(bucket) ? 60 : 5 });
      }
      await sentinel.count();
      const id = await rule();
      await sentinel.watchFrom(-8);
      await sentinel.judge();
      const [finding] = await sentinel.findings();
      expect(finding.status).toBe('resolved');
      expect(await shown()).toEqual([
        ['resolved', 1, 'critical', null],
        ['resolved', 1, 'critical', null],
      ]);
      const [alert] = await alerts();
      expect(alert).toMatchObject({ alert_rule_id: id, message: finding.summary, event_id: null });
      expect(alert.payload).toMatchObject({ id: finding.id, kind: 'rate_spike', status: 'open', actual: 60 });
      expect(await rulesOf(app, owner).get(id)).toMatchObject({ state: 'inactive', group_by: [] });
      const { body } = await rulesOf(app, owner).backtest(id);
      expect(body).toMatchObject({ evaluations: 1, step_seconds: null, truncated: false });
      expect(body.firings).toMatchObject([{ at: finding.started_at, until: finding.resolved_at, event_id: null }]);
    });

    it('fires for what fits alone, and after its time', async () => {
      await rule({ condition: { kind: 'anomaly', finding_kinds: ['silence'] } });
      await rule({ condition: { kind: 'anomaly', min_severity: 'critical' } });
      await rule({ condition: { kind: 'anomaly', all: [{ field: 'actual', op: 'gt', value: 60 }] } });
      await rule({ is_enabled: false });
      const later = await rule({ for_seconds: 600 });
      await history({ events: 5 }, [{ events: 60 }]);
      expect(await alerts()).toEqual([]);
      expect(await rulesOf(app, owner).get(later)).toMatchObject({ state: 'pending' });
      await sentinel.put(0, 0, { events: 60 });
      await sentinel.count();
      await app.rows("UPDATE sentinel_findings SET started_at = started_at - interval '10 minutes'");
      await app.rows('DELETE FROM alert_rule_series');
      await sentinel.watchFrom(0);
      await sentinel.judge();
      expect((await alerts()).map(({ alert_rule_id: id }: Json) => id)).toContain(later);
      expect(await rulesOf(app, owner).get(later)).toMatchObject({ state: 'firing' });
    });

    it('fires for a severity that its finding reaches later, whose figures are those of the worst bucket', async () => {
      const critical = await rule({ condition: { kind: 'anomaly', min_severity: 'critical' } });
      // Nothing fails usually, so that the first failures are as far from it as a score tells.
      await sentinel.put(-4 * DAY, -2, { events: 30 });
      await sentinel.put(-1, -1, { events: 80, errors: 20 });
      await sentinel.put(0, 0, { events: 80, errors: 80 });
      await sentinel.count();
      await sentinel.watchFrom(-1);
      await sentinel.judgeTo(-1);
      const [before] = await sentinel.findings();
      expect(before).toMatchObject({ kind: 'error_burst', severity: 'warning', score: 1, actual: 0.25 });
      expect(await alerts()).toEqual([]);
      await sentinel.judgeTo(0);
      const [finding, ...others] = await sentinel.findings();
      expect(others).toEqual([]);
      expect(finding).toMatchObject({ id: before.id, severity: 'critical', score: 1, actual: 1, expected: 0 });
      expect(finding.summary).toContain('100 %');
      expect((await alerts()).map(({ alert_rule_id: id, payload }: Json) => [id, payload.severity])).toEqual([
        [critical, 'critical'],
      ]);
    });

    it('fires for a new event type after its time, while the type is new', async () => {
      const condition = { kind: 'anomaly', finding_kinds: ['new_event_type'], min_severity: 'info' };
      const [later, never] = [
        await rule({ condition, for_seconds: 600 }),
        await rule({ condition, for_seconds: 86_400 }),
      ];
      await sentinel.put(-4 * DAY, 0, { events: 5 });
      await sentinel.put(-3, -3, { events: 1, event: 'refunded' });
      await sentinel.count();
      await sentinel.watchFrom(-3);
      await sentinel.judgeTo(-3);
      const states = async (): Promise<unknown[]> =>
        Promise.all([later, never].map(async (id) => (await rulesOf(app, owner).get(id)).state as unknown));
      expect([await states(), await alerts()]).toEqual([['pending', 'pending'], []]);
      await sentinel.judgeTo(0);
      expect(await states()).toEqual(['firing', 'pending']);
      const [finding] = await sentinel.findings();
      expect(await alerts()).toMatchObject([
        { alert_rule_id: later, event_type: 'refunded', occurrences: 1, message: finding.summary, status: 'open' },
      ]);
      expect(finding).toMatchObject({ last_seen_at: finding.started_at, status: 'open' });
      // A day later it is new no more.
      await app.rows(
        `UPDATE sentinel_findings SET started_at = started_at - interval '1 day', last_seen_at = last_seen_at - interval '1 day'
         WHERE id = $1`,
        [finding.id],
      );
      await sentinel.put(0, 0, { events: 1, event: 'refunded' });
      await sentinel.watchFrom(0);
      await sentinel.judge();
      expect((await sentinel.findings()).map(({ status }: Json) => status)).toEqual(['resolved']);
      expect(await states()).toEqual(['inactive', 'inactive']);
      expect((await alerts()).map(({ status }: Json) => status)).toEqual(['resolved']);
    });

    it('is back-tested by the findings of the window that fit it', async () => {
      const hour = 3_600_000;
      const now = Date.now();
      const findings: [
        kind: string,
        severity: string,
        series: string,
        value: string,
        actual: number | null,
        hoursAgo: number,
        buckets: number,
        ended: string | null,
      ][] = [
        ['rate_spike', 'warning', 'project', '', 60, 6, 3, 'resolved_at'],
        ['silence', 'critical', 'event', 'paid', 0, 5, 12, null],
        ['new_event_type', 'info', 'event', 'sent', null, 4, 0, null],
        ['error_burst', 'warning', 'source', newId(), 0.5, 3, 0, 'dismissed_at'],
        // Before the window.
        ['rate_drop', 'critical', 'project', '', 0, 30, 3, 'resolved_at'],
      ];
      for (const [kind, severity, type, value, actual, hoursAgo, buckets, ended] of findings) {
        const startedAt = now - hoursAgo * hour;
        const lastSeenAt = startedAt + buckets * 300_000;
        const status = ended === null ? 'open' : ended.replace('_at', '');
        await app.rows(
          `INSERT INTO sentinel_findings (id, project_id, kind, series_type, series_value, metric, status, severity, score, title, summary,
                                          actual, expected, started_at, detected_at, last_seen_at, ${ended ?? 'acknowledged_at'}, evidence)
           VALUES ($1, $2, $3, $4, $5, 'events', $6, $7, 1, $3, $3, $8, 5, $9, $9, $10, $11, '{}')`,
          [
            ...[newId(), owner.projectId, kind, type, value, status, severity, actual],
            ...[new Date(startedAt), new Date(lastSeenAt), ended === null ? null : new Date(lastSeenAt + 900_000)],
          ],
        );
      }
      const condition = { kind: 'anomaly' };
      const all = { ...condition, min_severity: 'info' };
      const rows: [what: string, rule: object, fired: string[]][] = [
        ['warnings without a word', { condition }, ['rate_spike', 'silence', 'error_burst']],
        ['all', { condition: all }, ['rate_spike', 'silence', 'new_event_type', 'error_burst']],
        ['the critical', { condition: { ...condition, min_severity: 'critical' } }, ['silence']],
        [
          'kinds',
          { condition: { ...all, finding_kinds: ['new_event_type', 'silence'] } },
          ['silence', 'new_event_type'],
        ],
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
        ['a time that few last for', { condition: all, for_seconds: 900 }, ['rate_spike', 'silence']],
      ];
      const window = { from_ts: new Date(now - 24 * hour).toISOString(), to_ts: new Date(now).toISOString() };
      const told = await Promise.all(
        rows.map(async ([what, given]) => {
          const { status, body } = await rulesOf(app, owner).backtest(await rule(given), window);
          expect([status, body.truncated]).toEqual([200, false]);
          return [what, body.firings.map((one: Json) => one.reason)];
        }),
      );
      expect(told).toEqual(rows.map(([what, , fired]) => [what, fired]));
      const { body } = await rulesOf(app, owner).backtest(await rule({ condition: all, for_seconds: 900 }), window);
      expect(body.firings.map(({ at, until }: Json) => [at, until])).toEqual([
        [new Date(now - 6 * hour + 900_000).toISOString(), new Date(now - 6 * hour + 1_800_000).toISOString()],
        [new Date(now - 5 * hour + 900_000).toISOString(), null],
      ]);
    });

    it('is as the guide has it', async () => {
      const guide = readFileSync('docs/guide/sentinel.md', 'utf8');
      const example = (name: string): object =>
        JSON.parse(new RegExp('```json ' + name + '\\n([\\s\\S]*?)```').exec(guide)?.[1] ?? '') as object;
      await rule({ condition: example('rule') });
      await history({ events: 7 }, [null, null, null]);
      expect(await shown()).toEqual([['open', 1, 'critical', null]]);
      const [{ id }] = await sentinel.findings();
      expect((await sentinel.act(id, 'dismiss', example('dismiss'))).body).toMatchObject({ status: 'dismissed' });
    });

    it('fires once, and its finding is one, where a round dies behind them', async () => {
      await rule();
      await sentinel.put(-4 * DAY, -1, { events: 5 });
      await sentinel.put(0, 0, { events: 60 });
      await sentinel.count();
      await sentinel.watchFrom(0);
      const projects = app.nest.get(WatchedProjectsRepository, { strict: false });
      const dying = jest.spyOn(projects, 'advance').mockRejectedValueOnce(new Error('the connection is gone'));
      await sentinel.judge();
      expect(dying).toHaveBeenCalledTimes(1);
      expect([await sentinel.findings(), await alerts()]).toEqual([[], []]);
      await app.rows('UPDATE sentinel_projects SET due_at = now()');
      await sentinel.judge();
      await sentinel.judge();
      expect(await kinds()).toEqual(['rate_spike project warning']);
      expect(await shown()).toEqual([['open', 1, 'critical', null]]);
    });

    it('recovers when its finding is dismissed', async () => {
      await rule();
      await history({ events: 5 }, [{ events: 60 }]);
      const [{ id }] = await sentinel.findings();
      expect(await shown()).toEqual([['open', 1, 'critical', null]]);
      await sentinel.act(id, 'dismiss', { reason: 'expected' });
      expect(await shown()).toEqual([['resolved', 1, 'critical', null]]);
    });
  });
});
