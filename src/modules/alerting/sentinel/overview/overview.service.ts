import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { JobQueue, type JobState, QueueUnavailableError, runStateOf } from '../../../../platform/queue/index.js';
import { ServiceOverloaded } from '../../../../platform/http/domain-error.js';
import type { Severity } from '../detectors/assessment.js';
import { findingResponse } from '../findings/findings.dto.js';
import { FindingsRepository } from '../findings/findings.repository.js';
import { FINDING_KINDS } from '../detection/finding-kinds.js';
import { WatchedProjectsRepository } from '../rounds/watched-projects.repository.js';
import { healthScore, healthState } from './health-score.js';
import type { SentinelOverviewResponse, WorkerResponse } from './overview.dto.js';

const WORST = 10;
const DAY_MS = 86_400_000;
/** The jobs that a project depends on, in the order of their names. */
const WORKERS = ['alert-deliveries', 'delivery-retries', 'hour-rollups', 'maintenance', 'rule-evaluations', 'sentinel'];

/** Reports the health of a project, and whether the jobs that watch the project are running. */
@Injectable()
export class SentinelOverviewService {
  private readonly startedAt: Date;

  constructor(
    private readonly findings: FindingsRepository,
    private readonly projects: WatchedProjectsRepository,
    private readonly queue: JobQueue,
    private readonly clock: Clock,
  ) {
    this.startedAt = clock.now();
  }

  async overview(scope: ProjectScope): Promise<SentinelOverviewResponse> {
    const [open, counts, watching] = await Promise.all([
      this.findings.unresolved(scope),
      this.findings.counts(scope),
      this.projects.find(scope.projectId),
    ]);
    const oldest = watching?.oldestEventAt?.getTime();
    const isLearning = oldest === undefined || this.clock.now().getTime() - oldest < DAY_MS;
    const score = isLearning ? null : healthScore(open);
    const countOf = (severity: Severity): number => open.filter((finding) => finding.severity === severity).length;
    return {
      project_id: scope.projectId,
      state: score === null ? 'learning' : healthState(score),
      score,
      open_findings: {
        total: open.length,
        critical: countOf('critical'),
        warning: countOf('warning'),
        info: countOf('info'),
      },
      findings: open.slice(0, WORST).map(findingResponse),
      coverage: { series: watching?.series ?? 0, learning: watching?.learning ?? 0 },
      evaluated_until: watching?.judgedUntil?.toISOString() ?? null,
      detectors: FINDING_KINDS.map((kind) => {
        const count = counts.find((one) => one.kind === kind);
        return { kind, findings_7d: count?.findings ?? 0, dismissed_7d: count?.dismissed ?? 0 };
      }),
    };
  }

  async workers(): Promise<WorkerResponse[]> {
    const jobs = await this.queue.state().catch((error: unknown) => {
      throw error instanceof QueueUnavailableError ? new ServiceOverloaded() : error;
    });
    return WORKERS.flatMap((name) => jobs.filter((job) => job.name === name)).map((job) => this.worker(job));
  }

  private worker(job: JobState): WorkerResponse {
    const everyMs = job.every_ms ?? 0;
    const now = this.clock.now();
    const since = Math.max(job.last_run_at?.getTime() ?? 0, this.startedAt.getTime());
    const run = {
      everyMs,
      lastRunAt: job.last_run_at,
      lastError: job.last_error,
      lastDurationMs: job.last_duration_ms,
    };
    return {
      name: job.name,
      state: runStateOf(run, this.startedAt, now),
      last_run_at: job.last_run_at?.toISOString() ?? null,
      last_duration_ms: job.last_duration_ms,
      interval_seconds: Math.round(everyMs / 1_000),
      lag_seconds: Math.max(0, Math.floor((now.getTime() - since - everyMs) / 1_000)),
      due: job.due,
    };
  }
}
