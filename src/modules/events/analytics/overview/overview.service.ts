import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { changeOf, ratioOf, windowHead } from '../../time-ranges/index.js';
import { type OverviewStats, OverviewsReader } from '../../event-store/index.js';
import type { OverviewChange, OverviewQuery, OverviewResponse, OverviewTotals } from './overview.dto.js';
import { Questions } from '../queries/questions.js';

/** Reports the totals of a window and their change against the previous window. */
@Injectable()
export class OverviewService {
  constructor(
    private readonly questions: Questions,
    private readonly overviews: OverviewsReader,
  ) {}

  /** @throws ValidationError, QueryTooLong, TooManyQueries */
  async of(scope: ProjectScope, query: OverviewQuery, signal: AbortSignal): Promise<OverviewResponse> {
    const question = await this.questions.of(scope, query);
    const { rows, now, previous } = await this.overviews.count(question, signal);
    const totals = totalsOf(now);
    const before = previous === null ? null : totalsOf(previous);
    return {
      ...windowHead(scope.projectId, question.projectName, question.window),
      totals,
      previous: before,
      change: before === null ? null : changesOf(totals, before),
      by_severity: rows.filter(({ part }) => part === 'severity').map(({ value, events }) => ({ value, events })),
      top_events: rows
        .filter(({ part }) => part === 'event')
        .map(({ value, events, previous: earlier }) => {
          const previousEvents = before === null ? null : earlier;
          return {
            value: value ?? '',
            events,
            previous_events: previousEvents,
            change: changeOf(events, previousEvents),
          };
        }),
      last_event_at: now.last_at?.toISOString() ?? null,
    };
  }
}

function totalsOf({ events, errors, types, sources, p50, p95 }: OverviewStats): OverviewTotals {
  return {
    events,
    errors,
    error_rate: ratioOf(errors, events),
    event_types: types,
    sources,
    p50_latency_ms: p50,
    p95_latency_ms: p95,
  };
}

function changesOf(now: OverviewTotals, before: OverviewTotals): OverviewChange {
  return {
    events: changeOf(now.events, before.events),
    errors: changeOf(now.errors, before.errors),
    error_rate: now.error_rate - before.error_rate,
    event_types: changeOf(now.event_types, before.event_types),
    sources: changeOf(now.sources, before.sources),
    p50_latency_ms: changeOf(now.p50_latency_ms, before.p50_latency_ms),
    p95_latency_ms: changeOf(now.p95_latency_ms, before.p95_latency_ms),
  };
}
