import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { addMember, type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type Json } from '../../support/delivery.js';
import { RULES_ENV } from '../../support/rules.js';
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

  describe('the life of a finding', () => {
    it('is extended, ends after three normal buckets and is taken up again within half an hour', async () => {
      const spike = { events: 60 };
      await history({ events: 5 }, [spike, spike, {}, {}, {}, {}, spike]);
      const [finding, ...others] = await sentinel.findings();
      expect(others).toEqual([]);
      expect(finding).toMatchObject({
        status: 'open',
        started_at: sentinel.at(sentinel.newest - 6).toISOString(),
        last_seen_at: sentinel.at(sentinel.newest).toISOString(),
        actual: 60,
        expected: 5,
        resolved_at: null,
      });
      const { evidence } = await sentinel.finding(finding.id);
      expect(evidence.points).toHaveLength(24 + 7);
      expect(evidence.points.slice(23).map(({ is_anomalous: isAnomalous }: Json) => isAnomalous)).toEqual([
        false,
        true,
        true,
        false,
        false,
        false,
        false,
        true,
      ]);
      expect(evidence.points[0]).toMatchObject({ actual: 5, expected: null, lower: null, upper: null });
      expect(evidence.sample_event_ids).toHaveLength(5);
    });

    it('is acknowledged again where it is taken up again, if it was', async () => {
      await sentinel.put(-4 * DAY, 0, { events: 5 });
      await sentinel.put(-6, -6, { events: 55 });
      await sentinel.put(0, 0, { events: 55 });
      await sentinel.count();
      await sentinel.watchFrom(-6);
      await sentinel.judgeTo(-6);
      const [{ id }] = await sentinel.findings();
      await sentinel.act(id, 'acknowledge');
      const states: unknown[] = [];
      for (const bucket of [-1, 0]) {
        await sentinel.judgeTo(bucket);
        states.push(...(await sentinel.findings()).map(({ status, resolved_at: at }: Json) => [status, at !== null]));
      }
      expect(states).toEqual([
        ['resolved', true],
        ['acknowledged', false],
      ]);
    });

    it('ends by itself, and a later one is another', async () => {
      await history({ events: 5 }, [{ events: 60 }, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, { events: 60 }]);
      const findings = await sentinel.findings();
      expect(findings.map(({ status }: Json) => status)).toEqual(['open', 'resolved']);
      expect(findings[1].resolved_at).toBe(sentinel.at(sentinel.newest - 8).toISOString());
    });

    it('ends after three normal buckets that were judged, however many were left out before them', async () => {
      await sentinel.put(-4 * DAY, 0, { events: 5 });
      await sentinel.put(-20, -20, { events: 60 });
      await sentinel.count();
      await sentinel.watchFrom(-20);
      await sentinel.judgeTo(-20);
      await sentinel.watchFrom(-4);
      const states: string[] = [];
      for (const bucket of [-4, -3, -2]) {
        await sentinel.judgeTo(bucket);
        states.push(...(await sentinel.findings()).map(({ status }: Json) => status as string));
      }
      expect(states).toEqual(['open', 'open', 'resolved']);
      const [{ id, resolved_at: resolvedAt }] = await sentinel.findings();
      expect(resolvedAt).toBe(sentinel.at(sentinel.newest - 2).toISOString());
      // They lie more than twelve buckets behind what they ended.
      const { evidence } = await sentinel.finding(id);
      expect(evidence.points.at(-1).ts).toBe(sentinel.at(sentinel.newest - 20).toISOString());
    });

    it('mutes its kind and series when it is dismissed, and raises their bounds', async () => {
      const spike = { events: 60 };
      await history({ events: 5 }, [spike, spike]);
      const [{ id }] = await sentinel.findings();
      await sentinel.act(id, 'dismiss', { reason: 'wrong' }).then((answer) => expect(answer.status).toBe(200));
      await sentinel.watchFrom(0);
      await sentinel.judge();
      expect((await sentinel.findings()).map(({ status }: Json) => status)).toEqual(['dismissed']);
      await app.rows(
        `UPDATE sentinel_feedback SET muted_until = now() - interval '1 day', raised_at = ARRAY[now() - interval '1 day']`,
      );
      await sentinel.watchFrom(0);
      await sentinel.judge();
      expect(await sentinel.findings('&status=open')).toEqual([]);
      await app.rows(`UPDATE sentinel_feedback SET raised_at = ARRAY[now() - interval '31 days']`);
      await sentinel.watchFrom(0);
      await sentinel.judge();
      expect(await sentinel.findings('&status=open')).toHaveLength(1);
    });

    it('is another in the next bucket where the dismissal mutes for no time, and none before its mute has ended', async () => {
      await sentinel.put(-4 * DAY, -3, { events: 5 });
      await sentinel.put(-2, 0, { events: 60 });
      await sentinel.count();
      await sentinel.watchFrom(-2);
      await sentinel.judgeTo(-2);
      const statuses = async (): Promise<string[]> =>
        (await sentinel.findings()).map(({ status }: Json) => status as string);
      const dismiss = async (hours: number): Promise<void> => {
        const [{ id }] = await sentinel.findings();
        const { status } = await sentinel.act(id, 'dismiss', { reason: 'expected', mute_hours: hours });
        expect(status).toBe(200);
      };
      await dismiss(0);
      await sentinel.judgeTo(-1);
      expect(await statuses()).toEqual(['open', 'dismissed']);
      await dismiss(1);
      const mutedUntil = async (bucket: number, seconds: number): Promise<string[]> => {
        await app.rows(`UPDATE sentinel_feedback SET muted_until = $1::timestamptz + make_interval(secs => $2)`, [
          sentinel.at(sentinel.newest + bucket),
          seconds,
        ]);
        await sentinel.watchFrom(0);
        await sentinel.judgeTo(0);
        return statuses();
      };
      expect(await mutedUntil(1, 0)).toEqual(['dismissed', 'dismissed']);
      expect(await mutedUntil(0, 299)).toEqual(['open', 'dismissed', 'dismissed']);
    });

    it('leaves what it says of a kind and series to its reason, and raises three times at most', async () => {
      await history({ events: 5 }, [{ events: 60 }]);
      const said: unknown[] = [];
      for (const [reason, hours] of [
        ['expected', 24],
        ['wrong', 0],
        ['not_useful', 720],
        ['wrong', 1],
        ['not_useful', 1],
        ['expected', 2],
      ] as const) {
        await app.rows(
          `UPDATE sentinel_findings SET status = 'open', dismissed_at = NULL, dismissed_by = NULL WHERE project_id = $1`,
          [owner.projectId],
        );
        const [{ id }] = await sentinel.findings();
        expect((await sentinel.act(id, 'dismiss', { reason, mute_hours: hours })).status).toBe(200);
        said.push(
          ...(await app.rows(
            `SELECT f.kind, cardinality(f.raised_at) AS raises, (extract(epoch FROM f.muted_until - d.dismissed_at) / 3600)::int AS hours
             FROM sentinel_feedback f JOIN sentinel_findings d USING (project_id, kind) WHERE project_id = $1`,
            [owner.projectId],
          )),
        );
      }
      const kind = 'rate_spike';
      expect(said).toEqual([
        { kind, raises: 0, hours: 24 },
        { kind, raises: 1, hours: null },
        { kind, raises: 2, hours: 720 },
        { kind, raises: 3, hours: 1 },
        { kind, raises: 3, hours: 1 },
        { kind, raises: 3, hours: 2 },
      ]);
    });

    it('is acted on once by many at a time', async () => {
      await history({ events: 5 }, [{ events: 60 }]);
      const [{ id }] = await sentinel.findings();
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          sentinel.act(id, index % 2 === 0 ? 'dismiss' : 'acknowledge', { reason: 'expected' }),
        ),
      );
      const codes = answers.map(({ status }) => status);
      expect(codes.every((code) => code === 200 || code === 409)).toBe(true);
      expect(codes.filter((code, index) => code === 200 && index % 2 === 0)).toHaveLength(1);
      expect((await sentinel.finding(id)).status).toBe('dismissed');
    });

    it('is one, whoever judges at the same time', async () => {
      await sentinel.put(-4 * DAY, -2, { events: 5 });
      await sentinel.put(-1, 0, { events: 60 });
      await sentinel.count();
      await sentinel.watchFrom(-1);
      await Promise.all([sentinel.judge(), sentinel.judge(), sentinel.judge()]);
      expect(await kinds()).toEqual(['rate_spike project warning']);
      expect(await app.rows('SELECT judged_until FROM sentinel_projects')).toEqual([
        { judged_until: sentinel.at(sentinel.newest + 1) },
      ]);
    });
  });

  describe('what people read', () => {
    it('is filtered, paged and of their project alone', async () => {
      await history({ events: 50, errors: 1 }, [{ events: 500, errors: 400 }]);
      expect((await sentinel.findings()).length).toBe(2);
      expect((await sentinel.findings('&kind=rate_spike&kind=silence')).map(({ kind }: Json) => kind)).toEqual([
        'rate_spike',
      ]);
      expect(await sentinel.findings('&severity=info')).toEqual([]);
      expect(await sentinel.findings('&series_value=paid')).toEqual([]);
      expect(await sentinel.findings(`&to_ts=${sentinel.at(sentinel.newest).toISOString()}`)).toEqual([]);
      const viewer = await addMember(app, owner, 'viewer');
      const stranger = await ownerWithProject(app);
      const [{ id }] = await sentinel.findings();
      expect((await sentinel.send('get', `/v1/sentinel/findings/${id}`, undefined, viewer)).status).toBe(200);
      expect((await sentinel.act(id, 'acknowledge', {}, viewer)).status).toBe(403);
      const refused = await sentinel.send('get', `/v1/sentinel/findings/${id}`, undefined, stranger);
      expect([refused.status, refused.body.detail]).toEqual([404, 'Finding not found']);
      expect(await sentinel.overview()).toMatchObject({
        state: 'critical',
        score: 100 - 40 - 15,
        open_findings: { total: 2, critical: 1, warning: 1, info: 0 },
        evaluated_until: sentinel.at(sentinel.newest + 1).toISOString(),
      });
    });

    it('comes in pages, in one order whatever began at once', async () => {
      await app.rows(
        `INSERT INTO sentinel_findings (id, project_id, kind, series_type, series_value, metric, status, severity, score, title, summary,
                                        started_at, detected_at, last_seen_at, resolved_at, evidence)
         SELECT gen_random_uuid(), p.id, 'rate_spike', 'event', 'type.' || n, 'events', 'resolved', 'warning', 0.5, 'A spike', 'A spike', at, at, at, at,
                '{}' FROM unnest($1::uuid[]) AS p (id), (SELECT n, now() - (n / 10) * interval '1 hour' AS at FROM generate_series(0, 59) n) f`,
        [[owner.projectId, (await ownerWithProject(app)).projectId]],
      );
      const page = async (query: string): Promise<Json> =>
        (await sentinel.send('get', `/v1/sentinel/findings?project_id=${owner.projectId}${query}`)).body;
      const whole = await page('&limit=100');
      expect([whole.items.length, whole.total, whole.limit, whole.offset]).toEqual([60, 60, 100, 0]);
      const begun = whole.items.map((one: Json) => one.started_at as string);
      expect(begun).toEqual(begun.toSorted().reverse());
      const [first, second, third, behind] = [
        await page(''),
        await page('&offset=25'),
        await page('&offset=50'),
        await page('&offset=60'),
      ];
      expect([first, second, third, behind].map((one) => [one.items.length, one.total, one.limit, one.offset])).toEqual(
        [
          [25, 60, 25, 0],
          [25, 60, 25, 25],
          [10, 60, 25, 50],
          [0, 60, 25, 60],
        ],
      );
      expect([first, second, third].flatMap(({ items }) => items)).toEqual(whole.items);
      const [, middle] = [...new Set<string>(begun)];
      const some = await page(
        `&from_ts=${begun.at(-1)}&to_ts=${middle}&limit=1&status=resolved&status=open&severity=warning&kind=rate_spike`,
      );
      expect([some.items.length, some.total]).toEqual([1, 40]);
      expect(await page('&series_value=type.7')).toMatchObject({ total: 1, items: [{ series: { value: 'type.7' } }] });
    });

    it('is summed up: learning, by severity and who is at it, and what was dismissed lately', async () => {
      const none = { total: 0, critical: 0, warning: 0, info: 0 };
      const learning = { state: 'learning', score: null, open_findings: none, findings: [], evaluated_until: null };
      expect(await sentinel.overview()).toMatchObject({ ...learning, coverage: { series: 0, learning: 0 } });
      // An event of long ago is no day of history.
      await sentinel.put(-20 * DAY, -20 * DAY, { events: 1 });
      await sentinel.put(0, 0, { events: 1 });
      await sentinel.count();
      await sentinel.judge();
      const until = sentinel.at(sentinel.newest + 1).toISOString();
      expect(await sentinel.overview()).toMatchObject({ ...learning, evaluated_until: until });
      await app.rows('DELETE FROM sentinel_projects');
      await app.rows(`DELETE FROM events WHERE "timestamp" < now() - interval '10 days'`);
      await history({ events: 50, errors: 1 }, [{ events: 500, errors: 400 }]);
      const [first, second] = (await sentinel.overview()).findings;
      expect([first, second].map(({ kind, severity }: Json) => [kind, severity])).toEqual([
        ['error_burst', 'critical'],
        ['rate_spike', 'warning'],
      ]);
      await sentinel.act(first.id, 'acknowledge');
      expect(await sentinel.overview()).toMatchObject({
        ...{ state: 'degraded', score: 65, open_findings: { total: 2, critical: 1, warning: 1, info: 0 } },
        findings: [{ id: first.id, status: 'acknowledged' }, { id: second.id }],
      });
      await sentinel.act(second.id, 'acknowledge');
      // Half of 55 is lost, and rounded.
      expect(await sentinel.overview()).toMatchObject({ state: 'degraded', score: 73 });
      // It began before the seven days in which it was dismissed.
      await app.rows(`UPDATE sentinel_findings SET started_at = now() - interval '8 days' WHERE id = $1`, [first.id]);
      await sentinel.act(first.id, 'dismiss', { reason: 'wrong' });
      const { score, state, detectors } = await sentinel.overview();
      expect([score, state]).toEqual([93, 'healthy']);
      const counted = detectors.filter((one: Json) => one.findings_7d > 0 || one.dismissed_7d > 0);
      expect(new Set(counted)).toEqual(
        new Set([
          { kind: 'rate_spike', findings_7d: 1, dismissed_7d: 0 },
          { kind: 'error_burst', findings_7d: 0, dismissed_7d: 1 },
        ]),
      );
    });

    it('is counted, and so are the rounds that find it', async () => {
      const read = async (): Promise<Map<string, number>> => {
        const text = await app.metrics();
        return new Map(
          [...text.matchAll(/^(sentinel_\S+) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
        );
      };
      const before = await read();
      await history({ events: 5 }, [{ events: 60 }]);
      const [{ id }] = await sentinel.findings();
      await sentinel.act(id, 'dismiss', { reason: 'wrong' });
      const after = await read();
      const counted = [
        ['sentinel_rounds_total{outcome="done"}', 1],
        ['sentinel_buckets_total{outcome="judged"}', 1],
        // The project and its one type.
        ['sentinel_series_total', 2],
        ['sentinel_delay_seconds_count', 1],
        ['sentinel_findings_total{kind="rate_spike",move="open"}', 1],
        ['sentinel_dismissals_total{reason="wrong"}', 1],
        ['sentinel_profiles_total', 1],
      ] as const;
      expect(counted.map(([name]) => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)])).toEqual(counted);
      const told = readFileSync('docs/operations.md', 'utf8');
      const names = [...after.keys()].map((name) => name.replace(/(_bucket|_sum|_count)?(\{.*)?$/, ''));
      expect([...new Set(names)].filter((name) => !told.includes(`\`${name}\``))).toEqual([]);
    });

    it('is found by the search of the project, by title, kind and series', async () => {
      await history({ events: 5 }, [{ events: 60 }]);
      const [{ id, title, summary, started_at: begun }] = await sentinel.findings();
      const found = async (q: string, actor: Owner = owner): Promise<Json[]> =>
        (
          await sentinel.send(
            'get',
            `/v1/search?project_id=${actor.projectId}&type=finding&q=${encodeURIComponent(q)}`,
            undefined,
            actor,
          )
        ).body.items;
      const item = { type: 'finding', id, title, subtitle: summary, timestamp: begun };
      expect(await found('spike of EVENTS')).toEqual([{ ...item, matched: { field: 'title', text: title }, score: 1 }]);
      expect(await found('rate_spike')).toMatchObject([{ ...item, matched: { field: 'kind' }, score: 1 }]);
      expect(await found(id)).toMatchObject([{ ...item, matched: { field: 'id' }, score: 0.9 }]);
      expect(await found('expected')).toEqual([]);
      expect(await found('spike', await ownerWithProject(app))).toEqual([]);
    });

    it.each([
      'findings?project_id=x',
      'findings?project_id=P&status=closed',
      'findings?project_id=P&kind=spike',
      'findings?project_id=P&limit=101',
      'findings?project_id=P&from_ts=2026-01-02T00:00:00Z&to_ts=2026-01-01T00:00:00Z',
      'findings/x',
      'overview',
      'workers',
    ])('%s is refused', async (path) => {
      const answer = await sentinel.send('get', `/v1/sentinel/${path.replace('P', owner.projectId)}`);
      expect([answer.status, Array.isArray(answer.body.detail)]).toEqual([422, true]);
    });

    it('refuses notes that are too long and reasons that are none', async () => {
      await history({ events: 5 }, [{ events: 60 }]);
      const [{ id }] = await sentinel.findings();
      for (const body of [
        {},
        { reason: 'x' },
        { reason: 'wrong', note: 'n'.repeat(1_001) },
        { reason: 'wrong', mute_hours: 721 },
      ]) {
        expect((await sentinel.act(id, 'dismiss', body)).status).toBe(422);
      }
      expect((await sentinel.act(id, 'acknowledge', { note: 'n'.repeat(1_001) })).status).toBe(422);
      expect((await sentinel.finding(id)).status).toBe('open');
      expect(
        (await sentinel.act(id, 'dismiss', { reason: 'wrong', note: 'n'.repeat(1_000), mute_hours: 0 })).status,
      ).toBe(200);
    });

    it('tells of the workers by their last runs', async () => {
      const { body } = await sentinel.send('get', `/v1/sentinel/workers?project_id=${owner.projectId}`);
      expect(body.map(({ name }: Json) => name)).toEqual([
        'alert-deliveries',
        'delivery-retries',
        'hour-rollups',
        'maintenance',
        'rule-evaluations',
        'sentinel',
      ]);
      expect(body.every(({ interval_seconds: seconds }: Json) => seconds > 0)).toBe(true);
      const at = new Date();
      await app.rows('DELETE FROM job_runs');
      await app.rows(
        `INSERT INTO job_runs (name, last_run_at, last_duration_ms, last_error)
         VALUES ('sentinel', $1, 12, NULL), ('hour-rollups', $1, 34, 'a secret of somebody'), ('maintenance', $1, 999999999, NULL)`,
        [at],
      );
      const ran = await sentinel.send('get', `/v1/sentinel/workers?project_id=${owner.projectId}`);
      const of = (name: string): Json => ran.body.find((one: Json) => one.name === name);
      const run = { last_run_at: at.toISOString(), lag_seconds: 0, due: null };
      expect(of('sentinel')).toEqual({
        ...run,
        ...{ name: 'sentinel', state: 'healthy', last_duration_ms: 12, interval_seconds: 60, due: expect.any(Number) },
      });
      expect(of('hour-rollups')).toMatchObject({ state: 'failed', last_duration_ms: 34 });
      expect(of('maintenance')).toMatchObject({ state: 'degraded', last_duration_ms: 999_999_999 });
      expect(of('delivery-retries')).toMatchObject({ last_run_at: null, last_duration_ms: null });
      expect(ran.text).not.toContain('secret');
    });
  });
});
