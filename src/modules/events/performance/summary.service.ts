import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { ProjectsReader } from '../../tenancy/projects/index.js';
import {
  type RollupPlan,
  RollupPlanReader,
  type RequestStats,
  RequestStatsReader,
  type TimeWindow,
} from '../event-store/index.js';
import { changeOf, ratioOf, windowHead } from '../time-ranges/index.js';
import { type RequestSelection, perMinute, RequestQuestions } from './request-selection.js';
import { FirstRequestReader } from './first-request.reader.js';
import type { ComparedFigures, FiguresChange, SummaryQuery, SummaryResponse } from './performance.dto.js';
import { PlannedReads } from './planned-reads.service.js';

const QUANTILES = [0.5, 0.75, 0.9, 0.95, 0.99];

const NOTHING: RequestStats = {
  requests: 0,
  clientErrors: 0,
  errors: 0,
  measured: 0,
  fast: 0,
  slow: 0,
  latencySum: 0,
  latencyMin: null,
  latencyMax: null,
  percentiles: [],
  satisfied: 0,
  tolerating: 0,
};

interface Planned {
  readonly now: RollupPlan;
  readonly before: RollupPlan | null;
}

/** Reads the totals of the requests of a window, and of the preceding window for comparison. */
@Injectable()
export class SummaryService {
  constructor(
    private readonly reads: PlannedReads,
    private readonly plans: RollupPlanReader,
    private readonly stats: RequestStatsReader,
    private readonly first: FirstRequestReader,
    private readonly projects: ProjectsReader,
    private readonly questions: RequestQuestions,
  ) {}

  async get(scope: ProjectScope, query: SummaryQuery, signal: AbortSignal): Promise<SummaryResponse> {
    const selection = await this.questions.of(query);
    const before = query.compare === 'none' ? null : selection.before;
    const name = await this.projects.nameOf(scope);
    const read = await this.reads.run(
      scope,
      (tx) => this.plan(scope, selection, before, tx),
      async (tx, plan, time) => {
        const sum = async (of: RollupPlan): Promise<RequestStats> => {
          const wanted = { starts: [], quantiles: QUANTILES, apdexMs: query.apdex_ms };
          const [stats = NOTHING] = await this.stats.read(scope, of, selection.filter, wanted, time, tx);
          await time.limit();
          return stats;
        };
        return {
          now: await sum(plan.now),
          before: plan.before && (await sum(plan.before)),
          from: selection.isAll ? await this.first.among(scope, plan.now, selection, time, tx) : selection.window.from,
        };
      },
      signal,
    );
    const { now, from } = read;
    const [compared, previous] = [compare(now), read.before && compare(read.before)];
    const [p50 = null, p75 = null, p90 = null, p95 = null, p99 = null] = now.percentiles;
    const { satisfied, tolerating } = now;
    return {
      ...windowHead(scope.projectId, name, selection.window),
      requests: now.requests,
      measured: now.measured,
      requests_per_minute: from === null ? 0 : perMinute(now.requests, { from, to: selection.window.to }),
      client_errors: now.clientErrors,
      errors: now.errors,
      error_rate: compared.error_rate,
      latency: {
        min_ms: now.latencyMin,
        avg_ms: now.measured === 0 ? null : now.latencySum / now.measured,
        p50_ms: p50,
        p75_ms: p75,
        p90_ms: p90,
        p95_ms: p95,
        p99_ms: p99,
        max_ms: now.latencyMax,
      },
      buckets: { fast: now.fast, slow: now.slow, very_slow: now.measured - now.fast - now.slow },
      apdex: {
        threshold_ms: query.apdex_ms,
        score: compared.apdex,
        satisfied,
        tolerating,
        frustrated: now.measured - satisfied - tolerating,
      },
      previous,
      change: previous && changes(compared, previous),
    };
  }

  private async plan(
    scope: ProjectScope,
    selection: RequestSelection,
    before: TimeWindow | null,
    tx: Db,
  ): Promise<Planned> {
    const now = await this.plans.plan(scope, selection.window, selection.filter, [], tx);
    return { now, before: before && (await this.plans.plan(scope, before, selection.filter, [], tx)) };
  }
}

function compare(stats: RequestStats): ComparedFigures {
  const [p50 = null, , , p95 = null] = stats.percentiles;
  const { satisfied, tolerating } = stats;
  return {
    requests: stats.requests,
    error_rate: ratioOf(stats.errors, stats.requests),
    p50_ms: p50,
    p95_ms: p95,
    apdex: stats.measured === 0 ? null : (satisfied + tolerating / 2) / stats.measured,
  };
}

function changes(now: ComparedFigures, before: ComparedFigures): FiguresChange {
  return {
    requests: changeOf(now.requests, before.requests),
    error_rate: now.error_rate - before.error_rate,
    p50_ms: changeOf(now.p50_ms, before.p50_ms),
    p95_ms: changeOf(now.p95_ms, before.p95_ms),
    apdex: now.apdex === null || before.apdex === null ? null : now.apdex - before.apdex,
  };
}
