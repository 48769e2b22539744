import { jest } from '@jest/globals';
import type { Response } from 'supertest';
import { WatchedProjectsRepository } from '../../src/modules/alerting/sentinel/rounds/watched-projects.repository.js';
import type { Actor, Owner } from './actors.js';
import type { TestApp } from './app.js';
import type { Json } from './delivery.js';
import { evaluateRules } from './rules.js';

const BUCKET_MS = 300_000;

/** Events that occur equally in consecutive buckets. */
export interface Steady {
  /** The number of events in each bucket. */
  readonly events: number;
  /** The number of these events with the status 500. */
  readonly errors?: number;
  readonly event?: string;
  readonly sourceId?: string | null;
  readonly latencyMs?: number | null;
  readonly endpoint?: string;
}

/** The history of one project in buckets of five minutes. The last of them is the newest bucket that is due. */
export class SentinelClient {
  /** The number of the newest due bucket since 1970. */
  readonly newest: number;
  private last: number;

  constructor(
    private readonly app: TestApp,
    private readonly owner: Owner,
    now = Date.now(),
  ) {
    this.newest = Math.floor((now - 120_000) / BUCKET_MS) - 1;
    this.last = this.newest;
    this.endTime();
  }

  get projectId(): string {
    return this.owner.projectId;
  }

  /** Returns the same buckets for another project. */
  of(owner: Owner): SentinelClient {
    return new SentinelClient(this.app, owner, this.at(this.newest + 1).getTime() + 120_000);
  }

  /** Scores buckets up to the given one, counted from the newest one. No later bucket becomes due in any project. */
  async detectTo(bucket: number): Promise<void> {
    this.last = this.newest + bucket;
    this.endTime();
    await this.app.rows('UPDATE sentinel_projects SET due_at = now() WHERE project_id = $1', [this.owner.projectId]);
    await this.detect();
  }

  /** Keeps later buckets from becoming due, however long a test takes. */
  private endTime(): void {
    const projects = this.app.nest.get(WatchedProjectsRepository, { strict: false });
    jest.spyOn(projects, 'claim').mockImplementation(async (tx) => {
      for (;;) {
        const project = await WatchedProjectsRepository.prototype.claim.call(projects, tx);
        if (project === null || project.due <= this.at(this.last)) return project;
        await tx.query(`UPDATE sentinel_projects SET due_at = 'infinity' WHERE project_id = $1`, [project.projectId]);
      }
    });
  }

  at(bucket: number): Date {
    return new Date(bucket * BUCKET_MS);
  }

  /** Stores events in each bucket from `from` to `to`, both included and counted from the newest bucket, which is 0. */
  async put(from: number, to: number, steady: Steady): Promise<void> {
    const { events, errors = 0, event = 'paid', sourceId = null, latencyMs = null, endpoint } = steady;
    await this.app.rows(
      `INSERT INTO events (project_id, "timestamp", id, source_id, event, source, properties, log_method, log_endpoint, log_status,
                           log_latency_ms, log_has_latency, created_at)
       SELECT $1, b.at + e.n * interval '300 seconds' / $9::int, gen_random_uuid(), $6, $5, 's', '{}', 'EVENT', $8,
              CASE WHEN e.n < $4 THEN 500 ELSE 200 END, coalesce($7::int, 0), $7::int IS NOT NULL, b.at
       FROM generate_series($2::timestamptz, $3::timestamptz, interval '5 minutes') AS b (at)
       CROSS JOIN generate_series(0, $9::int - 1) AS e (n)`,
      [
        this.owner.projectId,
        this.at(this.newest + from),
        this.at(this.newest + to),
        errors,
        event,
        sourceId,
        latencyMs,
        endpoint ?? `/events/${event}`,
        events,
      ],
    );
  }

  /** Counts the stored events, as ingestion does. */
  async count(): Promise<void> {
    const of = [this.owner.projectId];
    for (const [table, time, unit] of [
      ['event_hours', 'hour', 'hour'],
      ['event_facet_days', 'day', 'day'],
    ] as const) {
      await this.app.rows(`DELETE FROM ${table} WHERE project_id = $1`, of);
      const facets = table === 'event_hours' ? '' : 'event, source_id,';
      await this.app.rows(
        `INSERT INTO ${table} (project_id, ${facets} ${time}, events, errors)
         SELECT project_id, ${facets} date_trunc('${unit}', "timestamp", 'UTC') AS "at", count(*), count(*) FILTER (WHERE log_status >= 500)
         FROM events WHERE project_id = $1 GROUP BY project_id, ${facets} "at"`,
        of,
      );
    }
  }

  /** Makes scoring begin with a bucket, counted from the newest one. */
  async watchFrom(bucket: number): Promise<void> {
    await this.app.rows(
      `INSERT INTO sentinel_projects (project_id, judging_since, judged_until, due_at) VALUES ($1, $2, $2, now())
       ON CONFLICT ON CONSTRAINT pk_sentinel_projects DO UPDATE SET judged_until = $2, due_at = now()`,
      [this.owner.projectId, this.at(this.newest + bucket)],
    );
  }

  /** @returns the number of scored buckets and other processed items */
  detect(): Promise<number> {
    return evaluateRules(this.app);
  }

  async send(
    method: 'get' | 'post',
    path: string,
    body?: object,
    actor: Pick<Actor, 'bearer'> = this.owner,
  ): Promise<Response> {
    const request = this.app.request()[method](path).set('Authorization', actor.bearer);
    return body === undefined ? request : request.send(body);
  }

  async findings(query = ''): Promise<Json[]> {
    return (await this.send('get', `/v1/sentinel/findings?project_id=${this.owner.projectId}&limit=100${query}`)).body
      .items;
  }

  async finding(id: string): Promise<Json> {
    return (await this.send('get', `/v1/sentinel/findings/${id}`)).body;
  }

  async overview(): Promise<Json> {
    return (await this.send('get', `/v1/sentinel/overview?project_id=${this.owner.projectId}`)).body;
  }

  act(id: string, act: 'acknowledge' | 'dismiss', body: object = {}, actor?: Pick<Actor, 'bearer'>): Promise<Response> {
    return this.send('post', `/v1/sentinel/findings/${id}/${act}`, body, actor);
  }
}
