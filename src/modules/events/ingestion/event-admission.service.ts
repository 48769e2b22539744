import { Injectable } from '@nestjs/common';
import { ProjectNotFound } from '../../access/index.js';
import { whenThere } from '../../../platform/concurrency/index.js';
import { type DomainError, domainError } from '../../../platform/http/domain-error.js';
import { EventSourceNotFound, InvalidApiKey } from '../../entitlement/api-keys/index.js';
import { type FailureReason, IngestionFailuresRecorder } from '../../entitlement/ingestion-failures/index.js';
import { IngestionPolicyReader, type IngestionPolicy, ProjectIsArchived } from '../../tenancy/projects/index.js';
import { IngestionRefusalsService } from '../../entitlement/quotas/index.js';
import { EventIntake, type Sender, type Verdict, type WriteRequest } from '../event-store/index.js';

/** What a caller is answered 200 for: something new, or what an earlier request was answered. */
export type Admitted = Extract<Verdict, { kind: 'written' | 'replayed' }>;

/** Whose refusal is recorded, and of which HTTP request. */
interface Recorded {
  readonly sender: Sender;
  readonly requestId: string | null;
}

export class IdempotencyKeyReused extends domainError(
  409,
  'Idempotency-Key already used with different request payload',
) {}

/** The way every event goes in, whoever sends it: refusals become answers, and are recorded for the owner of the key. */
@Injectable()
export class EventAdmissionService {
  constructor(
    private readonly intake: EventIntake,
    private readonly policies: IngestionPolicyReader,
    private readonly refusals: IngestionRefusalsService,
    private readonly failures: IngestionFailuresRecorder,
  ) {}

  /** @param requestId of the HTTP request, for the record of its refusal. @throws ProjectIsArchived */
  policyOf(sender: Sender, requestId: string | null): IngestionPolicy | Promise<IngestionPolicy> {
    return whenThere(this.policies.of(sender), (policy) =>
      policy.archived ? this.refuse({ sender, requestId }, 'project_archived', new ProjectIsArchived()) : policy,
    );
  }

  /** @throws DomainError of billing, limits (SERVICE 7.2), idempotency or a full queue */
  async submit(request: WriteRequest, requestId: string | null): Promise<Admitted> {
    const { sender } = request;
    const verdict = await this.intake.submit(request);
    switch (verdict.kind) {
      case 'written':
        if (verdict.rest !== null)
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
        // A key goes with its project and its source.
        if (sender.apiKeyId !== null) throw new InvalidApiKey();
        throw verdict.why === 'gone' ? new ProjectNotFound() : new EventSourceNotFound();
      case 'refused':
        return this.refuse({ sender, requestId }, verdict.refusal.reason, this.refusals.answer(verdict.refusal));
    }
  }

  private async refuse(request: Recorded, reason: FailureReason, error: DomainError): Promise<never> {
    await this.record(request, reason, error.status);
    throw error;
  }

  private async record(
    { sender: { apiKeyId, projectId, sourceId }, requestId }: Recorded,
    reasonCode: FailureReason,
    statusCode: number,
  ): Promise<void> {
    if (apiKeyId === null) return;
    await this.failures.record({ apiKeyId, projectId, sourceId }, { reasonCode, statusCode, requestId });
  }
}
