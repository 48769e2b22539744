import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { WatchedProjectsRepository } from '../../../src/modules/alerting/sentinel/rounds/watched-projects.repository.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { type Json } from '../../support/delivery.js';
import { eventually } from '../../support/eventually.js';
import { rulesOf } from '../../support/rules.js';
import { SentinelClient, type Steady } from '../../support/sentinel.js';
import { app } from './api-app.js';

const DAY = 288;

describe('Sentinel', () => {
  let owner: Owner;
  let sentinel: SentinelClient;

  beforeEach(async () => {
    // The projects of earlier tests would be evaluated too.
    await app.rows('DELETE FROM sentinel_projects');
    await app.rows(`UPDATE projects SET archived_at = now()`);
    // A machine that stood still for half a minute looks like an outage of ours.
    await app.rows('DELETE FROM alert_heartbeats');
    owner = await ownerWithProject(app);
    sentinel = new SentinelClient(app, owner);
  });

  /** Four days like each other, then what is given for each bucket up to the newest. */
  const history = async (steady: Steady, then: readonly (Partial<Steady> | null)[], days = 4): Promise<void> => {
    await sentinel.put(-days * DAY - then.length, -then.length, steady);
    for (const [index, bucket] of then.entries()) {
      const place = index - then.length + 1;
      if (bucket !== null) await sentinel.put(place, place, { ...steady, ...bucket });
    }
    await sentinel.count();
    await sentinel.watchFrom(-then.length + 1);
    await sentinel.detect();
  };
  const kinds = async (): Promise<string[]> =>
    (await sentinel.findings()).map(({ kind, series, severity }: Json) => `${kind} ${series.type} ${severity}`);
  const alerts = async (): Promise<Json[]> =>
    (await sentinel.send('get', `/v1/alerts/events?project_id=${owner.projectId}`)).body.items;
  const shown = async (): Promise<unknown[]> =>
    (await alerts()).map(({ status, occurrences, severity, event_type: type }: Json) => [
      status,
      occurrences,
      severity,
      type,
    ]);

  it('counts rounds, buckets, series, findings and dismissals in metrics that the guide for operators names', async () => {
    const read = async (): Promise<Map<string, number>> => {
      const text = await app.metrics();
      return new Map(
        [...text.matchAll(/^(oes_sentinel_\S+) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
      );
    };
    const before = await read();
    await history({ events: 5 }, [{ events: 60 }]);
    const [{ id }] = await sentinel.findings();
    await sentinel.act(id, 'dismiss', { reason: 'wrong' });
    const after = await read();
    const counted = [
      ['oes_sentinel_rounds_total{outcome="done"}', 1],
      ['oes_sentinel_buckets_total{outcome="judged"}', 1],
      // The project and its one type.
      ['oes_sentinel_series_total', 2],
      ['oes_sentinel_delay_seconds_count', 1],
      ['oes_sentinel_findings_total{kind="rate_spike",move="open"}', 1],
      ['oes_sentinel_dismissals_total{reason="wrong"}', 1],
      ['oes_sentinel_profiles_total', 1],
    ] as const;
    expect(counted.map(([name]) => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)])).toEqual(counted);
    const told = readFileSync('docs/operations.md', 'utf8');
    const names = [...after.keys()].map((name) => name.replace(/(_bucket|_sum|_count)?(\{.*)?$/, ''));
    expect([...new Set(names)].filter((name) => !told.includes(`\`${name}\``))).toEqual([]);
  });

  it('follows a project that is archived, restored or deleted while a bucket is evaluated', async () => {
    const project = `/v1/projects/${owner.projectId}`;
    const projects = app.nest.get(WatchedProjectsRepository, { strict: false });
    const watched = (): Promise<Json[]> =>
      app.rows('SELECT project_id FROM sentinel_projects WHERE project_id = $1', [owner.projectId]);
    const isWaiting = async (): Promise<boolean> =>
      (await app.rows(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`))
        .length > 0;
    /**
     * The act is done, or waits for the round, when findings are written and the bucket is not yet said to be
     * evaluated.
     */
    const inside = async (act: () => Promise<{ status: number }>): Promise<number> => {
      let answer: Promise<{ status: number }> | undefined;
      const stopped = jest.spyOn(projects, 'advance').mockImplementationOnce(async (watching, tx) => {
        let isDone = false;
        answer = act().finally(() => (isDone = true));
        await eventually(async () => isDone || (await isWaiting()), Boolean);
        await WatchedProjectsRepository.prototype.advance.call(projects, watching, tx);
      });
      await sentinel.detect();
      stopped.mockRestore();
      if (answer === undefined) throw new Error('a bucket is evaluated');
      return (await answer).status;
    };
    await rulesOf(app, owner).rule({ condition: { kind: 'anomaly' } });
    await sentinel.put(-4 * DAY, -4, { events: 5 });
    await sentinel.put(-3, 0, { events: 60 });
    await sentinel.count();
    await sentinel.watchFrom(-3);
    expect(await inside(() => sentinel.send('post', `${project}/archive`))).toBe(200);
    // The bucket at hand was still evaluated, and none after it.
    const [finding, ...others] = await sentinel.findings();
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ status: 'open', last_seen_at: sentinel.at(sentinel.newest - 3).toISOString() });
    await sentinel.detect();
    expect(await watched()).toEqual([]);
    expect(await sentinel.findings()).toMatchObject([{ id: finding.id, last_seen_at: finding.last_seen_at }]);
    expect((await sentinel.send('post', `${project}/restore`)).status).toBe(200);
    await sentinel.watchFrom(-1);
    // Archived and restored while one bucket is evaluated: it is watched on.
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
    await sentinel.detect();
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
    await sentinel.detect();
    expect(app.logLines.filter((line) => line.includes('judging project'))).toEqual([]);
  });

  it('fires a rule once, and opens one finding, after a round that failed when both were written', async () => {
    await rulesOf(app, owner).rule({ condition: { kind: 'anomaly' }, severity: 'critical' });
    await sentinel.put(-4 * DAY, -1, { events: 5 });
    await sentinel.put(0, 0, { events: 60 });
    await sentinel.count();
    await sentinel.watchFrom(0);
    const projects = app.nest.get(WatchedProjectsRepository, { strict: false });
    const dying = jest.spyOn(projects, 'advance').mockRejectedValueOnce(new Error('the connection is gone'));
    await sentinel.detect();
    expect(dying).toHaveBeenCalledTimes(1);
    expect([await sentinel.findings(), await alerts()]).toEqual([[], []]);
    await app.rows('UPDATE sentinel_projects SET due_at = now()');
    await sentinel.detect();
    await sentinel.detect();
    expect(await kinds()).toEqual(['rate_spike project warning']);
    expect(await shown()).toEqual([['open', 1, 'critical', null]]);
  });

  it('shows workers by their last runs, and no error of a run', async () => {
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
