import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { ProjectsReader } from '../../tenancy/projects/index.js';
import {
  type EndpointStats,
  EndpointStatsReader,
  MOST_NAME_CHARACTERS,
  RollupPlanReader,
  type TimeWindow,
} from '../event-store/index.js';
import { ratioOf, windowHead } from '../time-ranges/index.js';
import { type RequestSelection, perMinute, RequestQuestions } from './request-selection.js';
import { FirstRequestReader } from './first-request.reader.js';
import {
  type EndpointResponse,
  type EndpointsPageResponse,
  type EndpointsQuery,
  type FailuresQuery,
  type FailuresResponse,
} from './performance.dto.js';
import { PlannedReads } from './planned-reads.service.js';

/** Reads the requests of a window by method and endpoint, and the failed requests. */
@Injectable()
export class EndpointsService {
  constructor(
    private readonly reads: PlannedReads,
    private readonly plans: RollupPlanReader,
    private readonly endpoints: EndpointStatsReader,
    private readonly first: FirstRequestReader,
    private readonly projects: ProjectsReader,
    private readonly questions: RequestQuestions,
  ) {}

  async page(scope: ProjectScope, query: EndpointsQuery, signal: AbortSignal): Promise<EndpointsPageResponse> {
    const requests = await this.questions.of(query);
    const selection: RequestSelection = {
      ...requests,
      filter: { ...requests.filter, isByRoute: query.group_by === 'route' },
    };
    const { sort, min_requests: minRequests, limit, offset } = query;
    const name = await this.projects.nameOf(scope);
    const { page, from } = await this.reads.run(
      scope,
      (tx) => this.plans.plan(scope, selection.window, selection.filter, [], tx),
      async (tx, plan, time) => {
        const page = await this.endpoints.page(
          scope,
          plan,
          selection.filter,
          { sort, minRequests, limit, offset },
          time,
          tx,
        );
        if (!selection.isAll) return { page, from: selection.window.from };
        await time.limit();
        return { page, from: await this.first.among(scope, plan, selection, time, tx) };
      },
      signal,
    );
    const window = { from: from ?? selection.window.to, to: selection.window.to };
    return {
      ...windowHead(scope.projectId, name, selection.window),
      items: page.items.map((item) => endpointResponse(item, window, page.latencySum)),
      total: page.total,
      limit,
      offset,
    };
  }

  async failures(scope: ProjectScope, query: FailuresQuery, signal: AbortSignal): Promise<FailuresResponse> {
    const selection = await this.questions.of(query);
    const statusFrom = query.status_from === '400' ? 400 : 500;
    const name = await this.projects.nameOf(scope);
    const { requests, failed, byStatus, byEndpoint } = await this.reads.run(
      scope,
      (tx) => this.plans.plan(scope, selection.window, selection.filter, [], tx),
      (tx, plan, time) =>
        this.endpoints.failures(scope, plan, selection.filter, { statusFrom, limit: query.limit }, time, tx),
      signal,
    );
    return {
      ...windowHead(scope.projectId, name, selection.window),
      requests,
      failed,
      failure_rate: ratioOf(failed, requests),
      by_status: byStatus.map((one) => ({ ...one, share: ratioOf(one.requests, failed) })),
      by_endpoint: byEndpoint.map((one) => ({
        method: shown(one.method),
        endpoint: shown(one.endpoint),
        requests: one.requests,
        failed: one.failed,
        failure_rate: ratioOf(one.failed, one.requests),
        statuses: [...one.statuses],
        last_failed_at: one.lastFailedAt.toISOString(),
      })),
    };
  }
}

/** @param allLatencies the sum of the latencies of all requests */
function endpointResponse(item: EndpointStats, window: TimeWindow, allLatencies: number): EndpointResponse {
  const { requests, measured, errors, latencySum } = item;
  return {
    method: shown(item.method),
    endpoint: shown(item.endpoint),
    requests,
    measured,
    errors,
    error_rate: ratioOf(errors, requests),
    requests_per_minute: perMinute(requests, window),
    avg_ms: measured === 0 ? null : latencySum / measured,
    p50_ms: item.p50,
    p95_ms: item.p95,
    p99_ms: item.p99,
    max_ms: item.latencyMax,
    total_time_share: ratioOf(latencySum, allLatencies),
  };
}

/** Returns the name cut to `MOST_NAME_CHARACTERS` code points, so that no surrogate pair is split. */
function shown(name: string | null): string | null {
  if (name === null || name.length <= MOST_NAME_CHARACTERS) return name;
  return [...name.slice(0, 2 * MOST_NAME_CHARACTERS)].slice(0, MOST_NAME_CHARACTERS).join('');
}
