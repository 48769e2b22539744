import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { type FindingPage, SentinelApi, sentinelOf } from '../../support/sentinel-api.js';
import { api, job, type Tenant, tenant } from '../../support/service.js';
import {
  ageFeedback,
  judgedUntil,
  reopenFindings,
  resolvedFindings,
  setFindingAge,
  setMutedUntil,
  storedFeedback,
} from '../../support/sql-builders/rule-runs.js';

const DAY = 288;
const BUCKET_MS = 300_000;
/** A bucket is due so long after its end. */
const SETTLED_MS = 120_000;

let acme: Tenant;
let sentinel: SentinelApi;

beforeEach(async () => {
  acme = await tenant();
  sentinel = await sentinelOf(acme);
});

describe('a finding', () => {
  it('goes on in unusual buckets, ends after three normal ones, and opens again within half an hour', async () => {
    const spike = { events: 60 };
    await sentinel.detectHistory({ events: 5 }, [spike, spike, {}, {}, {}, {}, spike]);
    const [finding, ...others] = await sentinel.findings();
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      status: 'open',
      started_at: sentinel.iso(-6),
      last_seen_at: sentinel.iso(0),
      actual: 60,
      expected: 5,
      resolved_at: null,
    });
    const { evidence } = await sentinel.finding(finding?.id ?? '');
    expect(evidence.points).toHaveLength(24 + 7);
    expect(evidence.points.slice(23).map(({ is_anomalous: isAnomalous }) => isAnomalous)).toEqual([
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

  it('is acknowledged again when it opens again after somebody has acknowledged it', async () => {
    await sentinel.put(-4 * DAY, 0, { events: 5 });
    await sentinel.put(-6, -6, { events: 55 });
    await sentinel.put(0, 0, { events: 55 });
    await sentinel.count();
    await sentinel.watchFrom(-6);
    await sentinel.detectTo(-6);
    const { id } = await sentinel.first();
    await sentinel.act(id, 'acknowledge').expect(200);
    const states: unknown[] = [];
    for (const bucket of [-1, 0]) {
      await sentinel.detectTo(bucket);
      states.push(...(await sentinel.findings()).map(({ status, resolved_at: at }) => [status, at !== null]));
    }
    expect(states).toEqual([
      ['resolved', true],
      ['acknowledged', false],
    ]);
  });

  it('ends by itself, and a later one of the same series is another finding', async () => {
    await sentinel.detectHistory({ events: 5 }, [
      { events: 60 },
      {},
      {},
      {},
      {},
      {},
      {},
      {},
      {},
      {},
      {},
      { events: 60 },
    ]);
    const findings = await sentinel.findings();
    expect(findings.map(({ status }) => status)).toEqual(['open', 'resolved']);
    expect(findings[1]?.resolved_at).toBe(sentinel.iso(-8));
  });

  it('ends after three normal buckets that were evaluated, however many were left out before them', async () => {
    await sentinel.put(-4 * DAY, 0, { events: 5 });
    await sentinel.put(-20, -20, { events: 60 });
    await sentinel.count();
    await sentinel.watchFrom(-20);
    await sentinel.detectTo(-20);
    await sentinel.watchFrom(-4);
    const states: string[] = [];
    for (const bucket of [-4, -3, -2]) {
      await sentinel.detectTo(bucket);
      states.push(...(await sentinel.statuses()));
    }
    expect(states).toEqual(['open', 'open', 'resolved']);
    const { id, resolved_at: resolvedAt } = await sentinel.first();
    expect(resolvedAt).toBe(sentinel.iso(-2));
    // The normal buckets are more than twelve buckets after the finding that they end.
    const { evidence } = await sentinel.finding(id);
    expect(evidence.points.at(-1)?.ts).toBe(sentinel.iso(-20));
  });

  it('mutes its kind and series when it is dismissed, and raises their bounds for 30 days', async () => {
    const spike = { events: 60 };
    await sentinel.detectHistory({ events: 5 }, [spike, spike]);
    const { id } = await sentinel.first();
    await sentinel.act(id, 'dismiss', { reason: 'wrong' }).expect(200);
    await sentinel.watchFrom(0);
    await sentinel.detect();
    expect(await sentinel.statuses()).toEqual(['dismissed']);
    await ageFeedback(acme.projectId, 1);
    await sentinel.watchFrom(0);
    await sentinel.detect();
    expect(await sentinel.findings('&status=open')).toEqual([]);
    await ageFeedback(acme.projectId, 31);
    await sentinel.watchFrom(0);
    await sentinel.detect();
    expect(await sentinel.findings('&status=open')).toHaveLength(1);
  });

  it('is followed by another in the next bucket when its dismissal mutes for 0 hours, and by none before a mute ends', async () => {
    await sentinel.put(-4 * DAY, -3, { events: 5 });
    await sentinel.put(-2, 0, { events: 60 });
    await sentinel.count();
    await sentinel.watchFrom(-2);
    await sentinel.detectTo(-2);
    const dismiss = async (hours: number): Promise<void> => {
      const { id } = await sentinel.first();
      await sentinel.act(id, 'dismiss', { reason: 'expected', mute_hours: hours }).expect(200);
    };
    await dismiss(0);
    await sentinel.detectTo(-1);
    expect(await sentinel.statuses()).toEqual(['open', 'dismissed']);
    await dismiss(1);
    const mutedUntil = async (time: number): Promise<string[]> => {
      await setMutedUntil(acme.projectId, new Date(time));
      await sentinel.watchFrom(0);
      await sentinel.detectTo(0);
      return sentinel.statuses();
    };
    expect(await mutedUntil(sentinel.at(1).getTime())).toEqual(['dismissed', 'dismissed']);
    expect(await mutedUntil(sentinel.at(0).getTime() + 299_000)).toEqual(['open', 'dismissed', 'dismissed']);
  });

  it('mutes for the hours of its last dismissal, and raises bounds three times at most and never when it was expected', async () => {
    await sentinel.detectHistory({ events: 5 }, [{ events: 60 }]);
    const feedback: unknown[] = [];
    for (const [reason, hours] of [
      ['expected', 24],
      ['wrong', 0],
      ['not_useful', 720],
      ['wrong', 1],
      ['not_useful', 1],
      ['expected', 2],
    ] as const) {
      await reopenFindings(acme.projectId);
      const { id } = await sentinel.first();
      await sentinel.act(id, 'dismiss', { reason, mute_hours: hours }).expect(200);
      feedback.push(...(await storedFeedback(acme.projectId)));
    }
    const kind = 'rate_spike';
    expect(feedback).toEqual([
      { kind, raises: 0, hours: 24 },
      { kind, raises: 1, hours: null },
      { kind, raises: 2, hours: 720 },
      { kind, raises: 3, hours: 1 },
      { kind, raises: 3, hours: 1 },
      { kind, raises: 3, hours: 2 },
    ]);
  });

  it('is dismissed once when six people acknowledge and dismiss it at a time', async () => {
    await sentinel.detectHistory({ events: 5 }, [{ events: 60 }]);
    const { id } = await sentinel.first();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        index % 2 === 0 ? sentinel.act(id, 'dismiss', { reason: 'expected' }) : sentinel.act(id, 'acknowledge'),
      ),
    );
    const codes = answers.map(({ status }) => status);
    expect(codes.every((code) => code === 200 || code === 409)).toBe(true);
    expect(codes.filter((code, index) => code === 200 && index % 2 === 0)).toHaveLength(1);
    expect((await sentinel.finding(id)).status).toBe('dismissed');
  });

  it('is found once when several rounds judge at the same time', async () => {
    await sentinel.put(-4 * DAY, -2, { events: 5 });
    await sentinel.put(-1, 0, { events: 60 });
    await sentinel.count();
    await sentinel.watchFrom(-1);
    await sentinel.detectTo(0, 3);
    expect(await sentinel.kinds()).toEqual(['rate_spike project warning']);
    expect(await judgedUntil(acme.projectId)).toEqual(sentinel.at(1));
  });

  it('is shown to members of its project only, and viewers cannot acknowledge it', async () => {
    await sentinel.detectHistory({ events: 5 }, [{ events: 60 }]);
    const { id } = await sentinel.first();
    const [viewer, globex] = [await acme.viewer(), await tenant()];
    await sentinel.as(viewer).read(id).expect(200);
    await sentinel.as(viewer).act(id, 'acknowledge').expect(403);
    await sentinel.as(globex.owner).read(id).expect(404, { detail: 'Finding not found' });
  });

  it('is found by the search of its project, by its title, kind and id', async () => {
    await sentinel.detectHistory({ events: 5 }, [{ events: 60 }]);
    const { id, title, summary, started_at: startedAt } = await sentinel.first();
    const found = async (q: string, { projectId, owner }: Tenant = acme): Promise<object[]> => {
      const query = { project_id: projectId, type: 'finding', q };
      return ((await api.as(owner).get('/v1/search', query).expect(200)).body as { items: object[] }).items;
    };
    const item = { type: 'finding', id, title, subtitle: summary, timestamp: startedAt };
    expect(await found('spike of EVENTS')).toEqual([{ ...item, matched: { field: 'title', text: title }, score: 1 }]);
    expect(await found('rate_spike')).toMatchObject([{ ...item, matched: { field: 'kind' }, score: 1 }]);
    expect(await found(id)).toMatchObject([{ ...item, matched: { field: 'id' }, score: 0.9 }]);
    expect(await found('expected')).toEqual([]);
    expect(await found('spike', await tenant())).toEqual([]);
  });

  it('refuses notes that are too long, unknown reasons and mutes that are too long', async () => {
    await sentinel.detectHistory({ events: 5 }, [{ events: 60 }]);
    const { id } = await sentinel.first();
    for (const body of [
      {},
      { reason: 'x' },
      { reason: 'wrong', note: 'n'.repeat(1_001) },
      { reason: 'wrong', mute_hours: 721 },
    ]) {
      await sentinel.act(id, 'dismiss', body).expect(422);
    }
    await sentinel.act(id, 'acknowledge', { note: 'n'.repeat(1_001) }).expect(422);
    expect((await sentinel.finding(id)).status).toBe('open');
    await sentinel.act(id, 'dismiss', { reason: 'wrong', note: 'n'.repeat(1_000), mute_hours: 0 }).expect(200);
  });
});

describe('the list of findings', () => {
  it('shows the findings of the kinds, severity, series and time that are asked for', async () => {
    await sentinel.detectHistory({ events: 20, errors: 1 }, [{ events: 200, errors: 160 }]);
    expect((await sentinel.findings()).length).toBe(2);
    expect((await sentinel.findings('&kind=rate_spike&kind=silence')).map(({ kind }) => kind)).toEqual(['rate_spike']);
    expect(await sentinel.findings('&severity=info')).toEqual([]);
    expect(await sentinel.findings('&series_value=paid')).toEqual([]);
    expect(await sentinel.findings(`&to_ts=${sentinel.iso(0)}`)).toEqual([]);
  });

  it('has pages in one order, also for findings that began at the same time', async () => {
    const globex = await tenant();
    await resolvedFindings([acme.projectId, globex.projectId], 60);
    const whole = await sentinel.page('&limit=100');
    expect([whole.items.length, whole.total, whole.limit, whole.offset]).toEqual([60, 60, 100, 0]);
    const begun = whole.items.map((one) => one.started_at);
    expect(begun).toEqual(begun.toSorted().reverse());
    const pages: FindingPage[] = [];
    for (const query of ['', '&offset=25', '&offset=50', '&offset=60']) pages.push(await sentinel.page(query));
    expect(pages.map((one) => [one.items.length, one.total, one.limit, one.offset])).toEqual([
      [25, 60, 25, 0],
      [25, 60, 25, 25],
      [10, 60, 25, 50],
      [0, 60, 25, 60],
    ]);
    expect(pages.flatMap(({ items }) => items)).toEqual(whole.items);
    const [, middle] = [...new Set(begun)];
    const some = await sentinel.page(
      `&from_ts=${begun.at(-1)}&to_ts=${middle}&limit=1&status=resolved&status=open&severity=warning&kind=rate_spike`,
    );
    expect([some.items.length, some.total]).toEqual([1, 40]);
    expect(await sentinel.page('&series_value=type.7')).toMatchObject({
      total: 1,
      items: [{ series: { value: 'type.7' } }],
    });
  });
});

describe('the overview of a project', () => {
  it('says that Sentinel learns while the events of the project lie on too few days', async () => {
    const globex = await tenant();
    // The service judges this project by itself.
    const learner = new SentinelApi(globex);
    const none = { total: 0, critical: 0, warning: 0, info: 0 };
    const learning = { state: 'learning', score: null, open_findings: none, findings: [], evaluated_until: null };
    expect(await learner.overview()).toMatchObject({ ...learning, coverage: { series: 0, learning: 0 } });
    // An event of long ago is no day of history.
    await learner.put(-20 * DAY, -20 * DAY, { events: 1 });
    await learner.put(-30, -30, { events: 1 });
    const endOfDueBucket = (): number => Math.floor((Date.now() - SETTLED_MS) / BUCKET_MS) * BUCKET_MS;
    const earliest = endOfDueBucket();
    await learner.count();
    const overview = await eventually(
      async () => {
        await job('rule-evaluations');
        return learner.overview();
      },
      ({ evaluated_until: until }) => until !== null,
    );
    expect(overview).toMatchObject({ ...learning, evaluated_until: expect.any(String) });
    // It is evaluated from the newest bucket on that is due.
    const until = Date.parse(overview.evaluated_until ?? '');
    expect(until % BUCKET_MS).toBe(0);
    expect(until).toBeGreaterThanOrEqual(earliest);
    expect(until).toBeLessThanOrEqual(endOfDueBucket());
  });

  it('has the open findings, a score that acknowledged findings lower by half, and the dismissals of a week', async () => {
    await sentinel.detectHistory({ events: 20, errors: 1 }, [{ events: 200, errors: 160 }]);
    const { findings, ...overview } = await sentinel.overview();
    expect(overview).toMatchObject({
      state: 'critical',
      score: 100 - 40 - 15,
      open_findings: { total: 2, critical: 1, warning: 1, info: 0 },
      evaluated_until: sentinel.iso(1),
    });
    expect(findings.map(({ kind, severity }) => [kind, severity])).toEqual([
      ['error_burst', 'critical'],
      ['rate_spike', 'warning'],
    ]);
    const [first, second] = findings.map(({ id }) => id) as [string, string];
    await sentinel.act(first, 'acknowledge').expect(200);
    expect(await sentinel.overview()).toMatchObject({
      ...{ state: 'degraded', score: 65, open_findings: { total: 2, critical: 1, warning: 1, info: 0 } },
      findings: [{ id: first, status: 'acknowledged' }, { id: second }],
    });
    await sentinel.act(second, 'acknowledge').expect(200);
    // Half of 55 is lost, and rounded.
    expect(await sentinel.overview()).toMatchObject({ state: 'degraded', score: 73 });
    // It began before the seven days in which it was dismissed.
    await setFindingAge(first, 8);
    await sentinel.act(first, 'dismiss', { reason: 'wrong' }).expect(200);
    const { score, state, detectors } = await sentinel.overview();
    expect([score, state]).toEqual([93, 'healthy']);
    const counted = detectors.filter((one) => one.findings_7d > 0 || one.dismissed_7d > 0);
    expect(new Set(counted)).toEqual(
      new Set([
        { kind: 'rate_spike', findings_7d: 1, dismissed_7d: 0 },
        { kind: 'error_burst', findings_7d: 0, dismissed_7d: 1 },
      ]),
    );
  });
});

describe('the list of workers', () => {
  it('has the six jobs that a project counts on, each with an interval', async () => {
    const query = { project_id: acme.projectId };
    const { body } = await api.as(acme.owner).get('/v1/sentinel/workers', query).expect(200);
    const workers = body as { name: string; interval_seconds: number }[];
    expect(workers.map(({ name }) => name)).toEqual([
      'alert-deliveries',
      'delivery-retries',
      'hour-rollups',
      'maintenance',
      'rule-evaluations',
      'sentinel',
    ]);
    expect(workers.every(({ interval_seconds: seconds }) => seconds > 0)).toBe(true);
  });
});

describe('a request about findings', () => {
  it.each([
    'findings?project_id=x',
    'findings?project_id=P&status=closed',
    'findings?project_id=P&kind=spike',
    'findings?project_id=P&limit=101',
    'findings?project_id=P&from_ts=2026-01-02T00:00:00Z&to_ts=2026-01-01T00:00:00Z',
    'findings/x',
    'overview',
    'workers',
  ])('returns 422 for %s, where P is the project', async (path) => {
    const answer = await api.as(acme.owner).get(`/v1/sentinel/${path.replace('P', acme.projectId)}`);
    const { detail } = answer.body as { detail: unknown };
    expect([answer.status, Array.isArray(detail)]).toEqual([422, true]);
  });
});
