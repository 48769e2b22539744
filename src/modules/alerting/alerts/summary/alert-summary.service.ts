import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { windowOf } from '../events/time-range.js';
import type { AlertWindowQuery } from '../events/alert-events.dto.js';
import type {
  AlertDurations,
  AlertMetricsQuery,
  AlertMetricsResponse,
  AlertSummaryResponse,
} from './alert-summary.dto.js';
import { AlertSummaryRepository } from './alert-summary.repository.js';

/** Counts alert events, and reports how long they took to be acknowledged and resolved. */
@Injectable()
export class AlertSummaryService {
  constructor(
    private readonly summaries: AlertSummaryRepository,
    private readonly clock: Clock,
  ) {}

  async summary(scope: ProjectScope, query: AlertWindowQuery): Promise<AlertSummaryResponse> {
    const summary: AlertSummaryResponse = {
      project_id: scope.projectId,
      total: 0,
      unresolved: 0,
      by_status: { open: 0, acknowledged: 0, snoozed: 0, resolved: 0 },
      by_severity: { info: 0, warning: 0, critical: 0 },
      unresolved_by_severity: { info: 0, warning: 0, critical: 0 },
    };
    for (const { status, severity, total } of await this.summaries.counts(scope, windowOf(query, this.clock.now()))) {
      summary.total += total;
      summary.by_status[status] += total;
      summary.by_severity[severity] += total;
      if (status === 'resolved') continue;
      summary.unresolved += total;
      summary.unresolved_by_severity[severity] += total;
    }
    return summary;
  }

  async metrics(scope: ProjectScope, query: AlertMetricsQuery): Promise<AlertMetricsResponse> {
    const now = this.clock.now();
    const window = windowOf(query, now);
    const times = await this.summaries.times(scope, window);
    return {
      project_id: scope.projectId,
      from_ts: window.from.toISOString(),
      to_ts: (query.to_ts ?? now).toISOString(),
      total: times.total,
      time_to_acknowledge: durationsOf(times.acknowledged, times.toAcknowledge),
      time_to_resolve: durationsOf(times.resolved, times.toResolve),
    };
  }
}

function durationsOf(count: number, seconds: readonly [number, number] | null): AlertDurations {
  const [median, p95] = seconds ?? [null, null];
  return { count, median_seconds: rounded(median), p95_seconds: rounded(p95) };
}

/** Rounds to milliseconds. The result is never negative, even if a clock was set back. */
function rounded(seconds: number | null): number | null {
  return seconds === null ? null : Math.max(0, Math.round(seconds * 1_000) / 1_000);
}
