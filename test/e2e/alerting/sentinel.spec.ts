import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WatchedProjectsRepository } from '../../../src/modules/alerting/sentinel/rounds/watched-projects.repository.js';
import { newId } from '../../../src/platform/ids/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type Json } from '../../support/delivery.js';
import { RULES_ENV, rulesOf } from '../../support/rules.js';
import { SentinelClient, type Steady } from '../../support/sentinel.js';
import { eventually } from '../../support/eventually.js';

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

  describe('what is found, and what is not', () => {
    it.each<[string, Steady, (Partial<Steady> | null)[], string[]]>([
      ['a spike of ten times', { events: 5 }, [{ events: 50 }], ['rate_spike project warning']],
      ['a spike of thirty times', { events: 5 }, [{ events: 150 }], ['rate_spike project critical']],
      ['no spike below three times', { events: 20 }, [{ events: 59 }], []],
      ['no spike of fewer than fifty events', { events: 4 }, [{ events: 49 }], []],
      [
        'a drop to a fifth',
        { events: 20 },
        [{ events: 4 }, { events: 4 }, { events: 4 }],
        ['rate_drop project warning'],
      ],
      ['no drop to a half', { events: 20 }, [{ events: 10 }, { events: 10 }, { events: 10 }], []],
      ['no drop where few are expected', { events: 6 }, [{ events: 1 }, { events: 1 }, { events: 1 }], []],
      ['silence', { events: 7 }, [null, null, null], ['silence project critical']],
      ['no silence yet', { events: 7 }, [null, null], []],
      ['a burst of errors', { events: 50, errors: 1 }, [{ errors: 20 }], ['error_burst project warning']],
      ['a burst of errors in half', { events: 50, errors: 1 }, [{ errors: 25 }], ['error_burst project critical']],
      ['no burst of fewer than ten errors', { events: 9 }, [{ errors: 9 }], []],
      [
        'a shift of latency',
        { events: 30, latencyMs: 100 },
        [{ latencyMs: 300 }, { latencyMs: 300 }, { latencyMs: 300 }],
        ['latency_shift project warning'],
      ],
      [
        'no shift of latency in two buckets',
        { events: 30, latencyMs: 100 },
        [{ latencyMs: 300 }, { latencyMs: 300 }],
        [],
      ],
      [
        'no shift of latency below one and a half times',
        { events: 30, latencyMs: 200 },
        [{ latencyMs: 299 }, { latencyMs: 299 }, { latencyMs: 299 }],
        [],
      ],
      ['nothing in a steady stream', { events: 20, errors: 1, latencyMs: 80 }, [{}, {}, {}, {}], []],
    ])('%s', async (_, steady, then, found) => {
      await history(steady, then);
      expect(await kinds()).toEqual(found);
    });

    it('nothing while a series learns', async () => {
      await history({ events: 5 }, [{ events: 500 }], 2);
      expect(await kinds()).toEqual([]);
      expect(await sentinel.overview()).toMatchObject({
        state: 'healthy',
        score: 100,
        coverage: { series: 2, learning: 2 },
      });
    });

    it('a type that stands out in a project that does not, and a source as the widest of its types', async () => {
      const sourceId = newId();
      await sentinel.put(-4 * DAY, 0, { events: 30, event: 'other' });
      await sentinel.put(-4 * DAY, -3, { events: 4, event: 'rare' });
      await sentinel.put(-2, -2, { events: 60, event: 'rare' });
      await sentinel.put(-1, 0, { events: 4, event: 'rare' });
      await sentinel.put(-4 * DAY, -3, { events: 8, event: 'sent', sourceId });
      await sentinel.count();
      await sentinel.watchFrom(-2);
      await sentinel.judge();
      const findings = await sentinel.findings();
      expect(findings.map(({ kind, severity, series }: Json) => [kind, severity, series.type, series.value])).toEqual([
        ['silence', 'critical', 'source', sourceId],
        ['rate_spike', 'warning', 'event', 'rare'],
      ]);
      const silence = await sentinel.finding(findings[0].id);
      expect(silence.evidence.contributors).toEqual([
        { field: 'event', value: 'sent', share: 0, usual_share: expect.closeTo(8 / 42, 2) },
      ]);
    });

    it('a new event type, once for ever and ten a day', async () => {
      await sentinel.put(-4 * DAY, 0, { events: 5 });
      for (let index = 0; index < 12; index++) await sentinel.put(-1, 0, { events: 1, event: `new.${index}` });
      await sentinel.count();
      await sentinel.watchFrom(-1);
      await sentinel.judge();
      const found = await sentinel.findings('&kind=new_event_type');
      expect(new Set(found.map(({ series }: Json) => series.value)).size).toBe(10);
      expect(found[0]).toMatchObject({ severity: 'info', actual: null, expected: null, series: { type: 'event' } });
      const { evidence } = await sentinel.finding(found[0].id);
      expect(evidence.sample_event_ids).toHaveLength(1);
      // There is nothing that it was compared with.
      expect(evidence).toMatchObject({ interval_seconds: 300, points: [], contributors: [], baseline: { samples: 0 } });
    });

    it.each([
      ['event_types', (index: number) => ({ events: 1, event: `many.${index}` })],
      ['endpoints', (index: number) => ({ events: 1, event: 'paid', endpoint: `/e/${index}` })],
    ])('more distinct %s than in any hour of a week', async (metric, one) => {
      await sentinel.put(-4 * DAY, 0, { events: 5, endpoint: '/pay' });
      for (let index = 0; index < 60; index++) await sentinel.put(0, 0, one(index));
      await sentinel.count();
      await sentinel.watchFrom(0);
      await sentinel.judge();
      const [finding] = await sentinel.findings('&kind=cardinality_explosion');
      expect(finding.series).toEqual({ type: 'project', value: null, metric });
      const { evidence } = await sentinel.finding(finding.id);
      expect(evidence.interval_seconds).toBe(3_600);
      const points: Json[] = evidence.points;
      expect(points.pop()).toEqual({
        ts: finding.started_at,
        actual: 61,
        expected: 1,
        lower: 0,
        upper: 20,
        is_anomalous: true,
      });
      // The hours of a day before the one that was judged.
      const judged = Date.parse(finding.started_at) - 55 * 60_000;
      const last = judged - (judged % 3_600_000);
      expect(points).toEqual(
        Array.from({ length: 24 }, (_, hour) => ({
          ts: new Date(last - (24 - hour) * 3_600_000).toISOString(),
          ...{ actual: 1, expected: null, lower: null, upper: null, is_anomalous: false },
        })),
      );
      expect(evidence.sample_event_ids).toHaveLength(5);
    });
  });

  describe('what comes when and how it likes', () => {
    it('is usual from then on where it comes late by days, and changes nothing that was told', async () => {
      await sentinel.put(0, 0, { events: 60 });
      await sentinel.count();
      await sentinel.watchFrom(-1);
      await sentinel.judge();
      expect(await kinds()).toEqual([]);
      await sentinel.put(-4 * DAY, -1, { events: 5 });
      // From the future.
      await sentinel.put(2, 20, { events: 400 });
      await sentinel.count();
      await sentinel.judge();
      expect(await kinds()).toEqual([]);
      await sentinel.watchFrom(0);
      await sentinel.judge();
      expect(await kinds()).toEqual(['rate_spike project warning']);
    });

    it('ends with the project: archived, restored and deleted in the middle of a bucket that is judged', async () => {
      const project = `/v1/projects/${owner.projectId}`;
      const projects = app.nest.get(WatchedProjectsRepository, { strict: false });
      const watched = (): Promise<Json[]> =>
        app.rows('SELECT project_id FROM sentinel_projects WHERE project_id = $1', [owner.projectId]);
      const isWaiting = async (): Promise<boolean> =>
        (await app.rows(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`))
          .length > 0;
      /** The act is done, or waits for the round, when findings are written and the bucket is not yet said to be judged. */
      const inside = async (act: () => Promise<{ status: number }>): Promise<number> => {
        let answer: Promise<{ status: number }> | undefined;
        const stopped = jest.spyOn(projects, 'advance').mockImplementationOnce(async (watching, tx) => {
          let isDone = false;
          answer = act().finally(() => (isDone = true));
          await eventually(async () => isDone || (await isWaiting()), Boolean);
          await WatchedProjectsRepository.prototype.advance.call(projects, watching, tx);
        });
        await sentinel.judge();
        stopped.mockRestore();
        if (answer === undefined) throw new Error('a bucket is judged');
        return (await answer).status;
      };
      await rulesOf(app, owner).rule({ condition: { kind: 'anomaly' } });
      await sentinel.put(-4 * DAY, -4, { events: 5 });
      await sentinel.put(-3, 0, { events: 60 });
      await sentinel.count();
      await sentinel.watchFrom(-3);
      expect(await inside(() => sentinel.send('post', `${project}/archive`))).toBe(200);
      // The bucket at hand was still judged, and none after it.
      const [finding, ...others] = await sentinel.findings();
      expect(others).toEqual([]);
      expect(finding).toMatchObject({ status: 'open', last_seen_at: sentinel.at(sentinel.newest - 3).toISOString() });
      await sentinel.judge();
      expect(await watched()).toEqual([]);
      expect(await sentinel.findings()).toMatchObject([{ id: finding.id, last_seen_at: finding.last_seen_at }]);
      expect((await sentinel.send('post', `${project}/restore`)).status).toBe(200);
      await sentinel.watchFrom(-1);
      // Archived and restored while one bucket is judged: it is watched on.
      const both = async (): Promise<{ status: number }> => {
        expect((await sentinel.send('post', `${project}/archive`)).status).toBe(200);
        return sentinel.send('post', `${project}/restore`);
      };
      expect(await inside(both)).toBe(200);
      expect(await watched()).toHaveLength(1);
      expect(await sentinel.findings()).toMatchObject([
        { id: finding.id, last_seen_at: sentinel.at(sentinel.newest).toISOString() },
      ]);
      await sentinel.watchFrom(-1);
      const remove = (): Promise<{ status: number }> =>
        app
          .request()
          .delete(project)
          .set('Authorization', owner.bearer)
          .then((answer) => answer);
      expect((await sentinel.send('post', `${project}/archive`)).status).toBe(200);
      await sentinel.judge();
      expect(await watched()).toEqual([]);
      expect((await sentinel.send('post', `${project}/restore`)).status).toBe(200);
      await sentinel.watchFrom(-1);
      const archiveAndRemove = async (): Promise<{ status: number }> => {
        expect((await sentinel.send('post', `${project}/archive`)).status).toBe(200);
        return remove();
      };
      expect([200, 202, 204]).toContain(await inside(archiveAndRemove));
      const gone = await sentinel.send('get', `/v1/sentinel/findings?project_id=${owner.projectId}`);
      expect([gone.status, gone.body.detail]).toEqual([404, 'Project not found']);
      await sentinel.judge();
      expect(app.logLines.filter((line) => line.includes('judging project'))).toEqual([]);
    });
  });
});
