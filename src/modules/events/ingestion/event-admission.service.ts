import { Injectable } from '@nestjs/common';
import { ProjectNotFound } from '../../access/index.js';
import { mapMaybePromise } from '../../../platform/concurrency/index.js';
import { type DomainError, domainError } from '../../../platform/http/domain-error.js';
import type { Traceparent } from '../../../platform/telemetry/index.js';
import { EventSourceNotFound, InvalidApiKey } from '../../entitlement/api-keys/index.js';
import { type FailureReason, IngestionFailuresRecorder } from '../../entitlement/ingestion-failures/index.js';
import { IngestionPolicyReader, type IngestionPolicy, ProjectIsArchived } from '../../tenancy/projects/index.js';
import { IngestionRefusalsService, type RefusalReason } from '../../entitlement/quotas/index.js';
import { EventIntake, type Sender, type Verdict, type WriteRequest } from '../event-store/index.js';

/** A verdict that is answered with 200: a new write, or the replay of an earlier answer. */
export type Admitted = Extract<Verdict, { kind: 'written' | 'replayed' }>;

/** A quota or limit that was used up before the request. */
export interface QuotaRefused {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  /** The answer to a request with a single event. */
  readonly error: DomainError;
}

const QUOTAS: ReadonlySet<RefusalReason> = new Set([
  'limit_exceeded',
  'request_limit_exceeded',
  'daily_limit_exceeded',
]);

/**
 * Identifies the HTTP request that sends events. Recorded refusals refer to `requestId`. Alerts and deliveries for the
 * events continue the trace.
 */
export interface RequestIds {
  readonly requestId: string;
  readonly traceparent?: Traceparent | undefined;
}

/** The sender and the HTTP request whose refusal is recorded. */
interface Recorded {
  readonly sender: Sender;
  readonly requestId: string | null;
}

export class IdempotencyKeyReused extends domainError(
  409,
  'Idempotency-Key already used with different request payload',
) {}

/** Admits the events of every sender. Refusals become errors, and are recorded for the owner of the key. */
@Injectable()
export class EventAdmissionService {
  constructor(
    private readonly intake: EventIntake,
    private readonly policies: IngestionPolicyReader,
    private readonly refusals: IngestionRefusalsService,
    private readonly failures: IngestionFailuresRecorder,
  ) {}

  /**
   * Returns the ingestion policy of a sender.
   * @param requestId the HTTP request that a recorded refusal refers to
   * @throws ProjectIsArchived
   */
  policyOf(sender: Sender, requestId: string | null): IngestionPolicy | Promise<IngestionPolicy> {
    return mapMaybePromise(this.policies.of(sender), (policy) =>
      policy.archived ? this.refuse({ sender, requestId }, 'project_archived', new ProjectIsArchived()) : policy,
    );
  }

  /** Submits events to be stored. @throws DomainError for billing, limits, a reused idempotency key or a full queue */
  async submit(request: WriteRequest, requestId: string | null): Promise<Admitted> {
    const admitted = await this.submitBatch(request, requestId);
    if (admitted.kind === 'refused') throw admitted.error;
    return admitted;
  }

  /** As {@link submit}, but returns a refusal by a quota or limit, because a batch has an answer for each event. */
  async submitBatch(request: WriteRequest, requestId: string | null): Promise<Admitted | QuotaRefused> {
    const { sender } = request;
    const verdict = await this.intake.submit(request);
    switch (verdict.kind) {
      case 'written':
        if (verdict.rest !== null && verdict.admitted + verdict.duplicates.size < request.events.length)
          await this.record({ sender, requestId }, verdict.rest, this.refusals.statusOf(verdict.rest));
        return verdict;
      case 'replayed':
        return verdict;
      case 'conflict':
        throw new IdempotencyKeyReused();
      case 'closed':
        if (verdict.why === 'archived') {
          return this.refuse({ sender, requestId }, 'project_archived', new ProjectIsArchived());
        }
        // A key is deleted together with its project or its source.
        if (sender.apiKeyId !== null) throw new InvalidApiKey();
        throw verdict.why === 'gone' ? new ProjectNotFound() : new EventSourceNotFound();
      case 'refused': {
        const { reason } = verdict.refusal;
        const error = this.refusals.answer(verdict.refusal);
        if (!QUOTAS.has(reason)) return this.refuse({ sender, requestId }, reason, error);
        await this.record({ sender, requestId }, reason, error.status);
        return { kind: 'refused', reason, error };
      }
    }
  }

  private async refuse(request: Recorded, reason: FailureReason, error: DomainError): Promise<never> {
    await this.record(request, reason, error.status);
    throw error;
  }

  private async record(
    { sender: { apiKeyId, projectId, sourceId, isHook = false }, requestId }: Recorded,
    reasonCode: FailureReason,
    statusCode: number,
  ): Promise<void> {
    const failure = { reasonCode, statusCode, requestId };
    if (apiKeyId !== null) await this.failures.record({ apiKeyId, projectId, sourceId }, failure);
    else if (isHook && sourceId !== null) await this.failures.record({ apiKeyId, projectId, sourceId }, failure);
  }
}
