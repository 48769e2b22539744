import { Injectable } from '@nestjs/common';
import { sentRequestResponse } from '../../sending/index.js';
import { policyConfigurationOf } from '../drivers/channel-configuration.js';
import type { RetryAudit } from '../attempts/retry-audit.entity.js';
import { ChannelDriverRegistry } from '../drivers/channel-driver.registry.js';
import { decide, type Decision, type RecoveryAction } from '../attempts/readiness.js';
import { type AttemptDetailView, type AttemptView, factsOf, lifecycleOf, readRetryState } from './attempt-view.js';
import type {
  AttemptDetailResponse,
  AttemptResponse,
  DecisionResponse,
  LineageResponse,
  RetryAuditResponse,
} from './history.dto.js';

/** Builds the responses of attempts, with the recovery actions that are allowed now. */
@Injectable()
export class AttemptPresenter {
  constructor(private readonly drivers: ChannelDriverRegistry) {}

  async list(views: readonly AttemptView[]): Promise<AttemptResponse[]> {
    const valid = new Map<string, Promise<boolean>>();
    return Promise.all(
      views.map(async (view) => {
        const known = valid.get(view.channelId) ?? this.hasValidDestination(view);
        valid.set(view.channelId, known);
        return summaryOf(view, await known);
      }),
    );
  }

  async summary(view: AttemptView): Promise<AttemptResponse> {
    return summaryOf(view, await this.hasValidDestination(view));
  }

  async detail(view: AttemptDetailView): Promise<AttemptDetailResponse> {
    const isValid = await this.hasValidDestination(view);
    return {
      ...summaryOf(view, isValid),
      channel_enabled: view.channel?.enabled ?? null,
      response_summary: view.responseSummary,
      retry_policy: policyConfigurationOf(view.channel?.configuration),
      terminal_at: timeOf(view.terminalAt),
      dlq_at: timeOf(view.dlqAt),
      source_id: view.sourceId,
      evaluation_id: view.evaluationId,
      try_number: view.tryNumber,
      request_metadata: view.requestMetadata,
      response_metadata: view.responseMetadata,
      request: sentRequestResponse(view.sentRequest),
      replay_readiness: decisionResponse(decide('replay', factsOf(view, isValid))),
      lineage: lineageOf(view),
    };
  }

  async decide(action: RecoveryAction, view: AttemptView): Promise<Decision> {
    return decide(action, factsOf(view, await this.hasValidDestination(view)));
  }

  private hasValidDestination({ channel }: AttemptView): Promise<boolean> {
    return channel === null ? Promise.resolve(false) : this.drivers.isSendable(channel.type, channel.configuration);
  }
}

export function decisionResponse({ allowed, action, reasonCode, reason }: Decision): DecisionResponse {
  return { allowed, action, reason_code: reasonCode, reason };
}

export function retryAuditResponse(audit: RetryAudit): RetryAuditResponse {
  return {
    id: audit.id,
    project_id: audit.projectId,
    delivery_id: audit.attemptId,
    retry_number: audit.retryNumber,
    worker_id: audit.workerId,
    status: audit.status,
    started_at: audit.startedAt.toISOString(),
    finished_at: timeOf(audit.finishedAt),
    response_code: audit.responseCode,
    response_summary: audit.responseSummary,
    reason: audit.reason,
  };
}

function summaryOf(view: AttemptView, hasValidDestination: boolean): AttemptResponse {
  return {
    id: view.id,
    project_id: view.projectId,
    channel_id: view.channelId,
    channel_name: view.channel?.name ?? null,
    channel_type: view.channel?.type ?? null,
    kind: view.kind,
    status: view.status,
    retry_state: readRetryState(view),
    response_code: view.responseCode,
    failure_reason: view.failureReason,
    retry_count: view.retryCount,
    next_retry_at: view.retryState === 'scheduled_retry' ? timeOf(view.dueAt) : null,
    lifecycle: lifecycleOf(view, hasValidDestination),
    is_dlq: view.retryState === 'dlq',
    event_id: view.eventId,
    rule_id: view.ruleId,
    created_at: view.createdAt.toISOString(),
    completed_at: timeOf(view.completedAt),
  };
}

function lineageOf({ id, parentAttemptId, recovery, recoveredById, recoveredBy }: AttemptView): LineageResponse {
  return {
    original_attempt_id: parentAttemptId ?? id,
    parent_attempt_id: parentAttemptId,
    replay_attempt_id: recoveredBy === 'replay' ? recoveredById : null,
    replay_source_attempt_id: recovery === 'replay' ? parentAttemptId : null,
    dlq_drain_attempt_id: recoveredBy === 'dlq_drain' ? recoveredById : null,
    dlq_drain_source_attempt_id: recovery === 'dlq_drain' ? parentAttemptId : null,
  };
}

function timeOf(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
