import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { ReplicationLagReader } from '../../events/event-store/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { within } from '../../../platform/concurrency/index.js';
import { Database } from '../../../platform/database/database.js';
import { isMigrated } from '../../../platform/database/migration-state.js';
import { JobQueue, type QueueHealth } from '../../../platform/queue/index.js';
import { RateLimitStore } from '../../../platform/rate-limit/index.js';
import { RedisConnection, type RedisHealth } from '../../../platform/redis/redis.js';
import { SERVICE_VERSION } from '../../../platform/http/service-info.js';
import type { CheckState, HealthChecks, HealthResponse, WorkerState } from './health.dto.js';
import { workerState, workerStateWithoutQueue } from './worker-state.js';

const DATABASE_LIMIT_MS = 2_000;
/** A longer replication lag to ClickHouse is reported as `degraded`. The usual lag is 1 or 2 seconds. */
const LAG_LIMIT_SECONDS = 60;

/** Whether a process can do its work. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: {
    readonly database: boolean;
    /** Whether the database has every migration of this version. */
    readonly migrations: boolean;
    /** Whether the job queue can be reached. It wakes workers up. */
    readonly queue: boolean;
    /** Whether scheduled jobs run. Only a process with the role `worker` has this check. */
    readonly jobs?: boolean;
  };
}

@Injectable()
export class HealthService {
  private readonly startedAt: Date;

  constructor(
    private readonly database: Database,
    private readonly redis: RedisConnection,
    private readonly rateLimits: RateLimitStore,
    private readonly queue: JobQueue,
    private readonly clock: Clock,
    private readonly lag: ReplicationLagReader,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.startedAt = clock.now();
  }

  async check(): Promise<HealthResponse> {
    const [database, ownRedis, limitsRedis, [queue, workers], eventStore] = await Promise.all([
      this.checkDatabase(),
      this.redis.health(),
      this.rateLimits.health(),
      this.checkQueueAndWorkers(),
      this.checkEventStore(),
    ]);
    const redis = together(ownRedis, limitsRedis);
    const checks = { database, redis, queue, workers, ...eventStore };
    const allWell = (redis === 'ok' || redis === 'not_configured') && queue === 'ok' && workers === 'healthy';
    const isReplicated = eventStore.event_store !== 'degraded';
    return {
      status: database === 'down' ? 'down' : allWell && isReplicated ? 'ok' : 'degraded',
      version: SERVICE_VERSION,
      checks,
    };
  }

  /** Returns whether new work may be sent to this process, and the result of each check. */
  async readiness(): Promise<Readiness> {
    const [database, migrated, [queue, workers]] = await Promise.all([
      this.checkDatabase(),
      isMigrated(this.database).catch(() => false),
      this.checkQueueAndWorkers(),
    ]);
    const checks = {
      database: database === 'ok',
      migrations: migrated,
      queue: queue !== 'down',
      ...(this.config.process.role === 'worker' && { jobs: workers !== 'stopped' && workers !== 'stale' }),
    };
    // Without the queue, the API still serves requests and workers poll. Only queued ingestion cannot do without it.
    const needed = this.config.ingestion.mode === 'queued' ? checks : { ...checks, queue: true };
    return { ready: Object.values(needed).every(Boolean), checks };
  }

  private checkDatabase(): Promise<CheckState> {
    return within(DATABASE_LIMIT_MS, this.database.ping(), () => new Error('no answer in time')).then(
      () => 'ok',
      () => 'down',
    );
  }

  private async checkEventStore(): Promise<Pick<HealthChecks, 'event_store'>> {
    const seconds = await this.lag.seconds().catch(() => Number.POSITIVE_INFINITY);
    if (seconds === null) return {};
    return { event_store: seconds > LAG_LIMIT_SECONDS ? 'degraded' : 'ok' };
  }

  private async checkQueueAndWorkers(): Promise<[QueueHealth, WorkerState]> {
    const [queue, runs] = await Promise.all([this.queue.health(), this.queue.scheduledRuns().catch(() => null)]);
    if (runs === null) return [queue, 'failed'];
    const stateOf = queue === 'down' ? workerStateWithoutQueue : workerState;
    return [queue, stateOf(runs, this.startedAt, this.clock.now())];
  }
}

/** Combines the states of the configured Redis servers: `degraded` when they differ, `not_configured` without any. */
function together(...states: RedisHealth[]): CheckState {
  const configured = new Set(states.filter((state) => state !== 'not_configured'));
  const [only] = configured;
  return configured.size > 1 ? 'degraded' : (only ?? 'not_configured');
}
