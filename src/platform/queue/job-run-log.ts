import type { Pool } from 'pg';
import { connectionErrors } from './connection-errors.js';

export interface JobRun {
  /** The start on the clock of `performance.now()`. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Null after a successful run. */
  readonly error: string | null;
}

export interface RecordedRun {
  last_run_at: Date;
  last_duration_ms: number;
  last_error: string | null;
}

/**
 * Stores the last run of each job in the table `job_runs`, so that every process can read it. A process has at most one
 * write per job in flight. If several runs end during a write, only the latest of them is written next.
 */
export class JobRunLog {
  private readonly latest = new Map<string, JobRun>();
  private readonly writers = new Map<string, Promise<void>>();

  constructor(private readonly pool: Pool) {}

  /** Resolves when this run or a later one is written. Failed writes are logged and never reject. */
  record(name: string, run: JobRun): Promise<void> {
    this.latest.set(name, run);
    let writer = this.writers.get(name);
    if (!writer) {
      writer = this.writeUntilCaughtUp(name);
      this.writers.set(name, writer);
    }
    return writer;
  }

  async flush(): Promise<void> {
    await Promise.all(this.writers.values());
  }

  async read(): Promise<Map<string, RecordedRun>> {
    const { rows } = await this.pool.query<RecordedRun & { name: string }>(
      'SELECT name, last_run_at, last_duration_ms, last_error FROM public.job_runs',
    );
    return new Map(rows.map(({ name, ...run }) => [name, run]));
  }

  private async writeUntilCaughtUp(name: string): Promise<void> {
    for (let run = this.latest.get(name); run; run = this.latest.get(name)) {
      this.latest.delete(name);
      try {
        await this.write(name, run);
      } catch (error) {
        connectionErrors.report('record of job runs', error);
      }
    }
    this.writers.delete(name);
  }

  private async write(name: string, run: JobRun): Promise<void> {
    const ageMs = performance.now() - run.startedAt;
    await this.pool.query(
      `INSERT INTO public.job_runs (name, last_run_at, last_duration_ms, last_error)
       VALUES ($1, clock_timestamp() - make_interval(secs => $2::float8 / 1000), $3, $4)
       ON CONFLICT (name) DO UPDATE
       SET last_run_at = excluded.last_run_at,
           last_duration_ms = excluded.last_duration_ms,
           last_error = excluded.last_error`,
      [name, ageMs, Math.round(run.durationMs), run.error],
    );
  }
}
