import { Inject, Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { currentContext } from '../../../../platform/telemetry/index.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { projectAct, ProjectAuthorization } from '../../../tenancy/projects/index.js';
import { ProtectedHeaderOpener } from '../channels/protected-header.opener.js';
import { AttemptNotFound } from '../delivery.errors.js';
import { AttemptClaimsRepository, type ClaimedAttempt } from '../engine/attempt-claims.repository.js';
import { DELIVERY_ENGINE, type DeliveryEngine } from '../engine/attempt.outbox.js';
import { retryAuditResponse } from '../history/attempt.presenter.js';
import type { AttemptView } from '../history/attempt-view.js';
import { HistoryRepository } from '../history/history.repository.js';
import { ReadinessService } from './readiness.service.js';
import type { ReadinessResponse, RetryNowResponse } from './recovery.dto.js';

/** The lease of a claim by an operator. */
const LEASE_SECONDS = 300;

/** Sends a scheduled attempt at once, while the caller waits. This does not count as an automatic retry. */
@Injectable()
export class RetryNowService {
  constructor(
    private readonly database: Database,
    private readonly history: HistoryRepository,
    private readonly headers: ProtectedHeaderOpener,
    private readonly readiness: ReadinessService,
    private readonly claims: AttemptClaimsRepository,
    @Inject(DELIVERY_ENGINE) private readonly engine: DeliveryEngine,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
  ) {}

  /**
   * When several calls run at once, only one of them claims and sends. The other calls report `retry_claim_active`,
   * even after that send has ended.
   */
  async retry(scope: ProjectMemberScope, id: string): Promise<RetryNowResponse> {
    const { readiness, claimed } = await this.claim(scope, id);
    const refused = { executed: false, source_attempt_id: id, readiness, attempt: null, retry_audit: null };
    if (claimed === null) return refused;
    await this.engine.send(claimed);
    const audit = await this.history.auditOfClaim(scope, id, claimed.token);
    return {
      executed: true,
      source_attempt_id: id,
      readiness,
      attempt: await this.readiness.summary(await this.view(scope, id)),
      retry_audit: audit && retryAuditResponse(audit),
    };
  }

  private claim(
    scope: ProjectMemberScope,
    id: string,
  ): Promise<{ readiness: ReadinessResponse; claimed: ClaimedAttempt | null }> {
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const view = await this.view(scope, id, tx);
      const before = await this.readiness.of(view, 'retry_now');
      if (before.allowed) await this.headers.assertAvailable(scope, view.channelId, tx);
      const claimant = { owner: `user:${scope.userId}`, kind: 'retry_now', leaseSeconds: LEASE_SECONDS } as const;
      // The view takes no lock. If a worker has claimed the attempt since the view was read, there is nothing to claim
      // here. A send that has started since this request arrived counts as the requested one, even when it has failed
      // by now.
      const cameAt = await this.claims.timeBefore(waitedMs, tx);
      const claimed = before.allowed ? await this.claims.claimOne(scope, claimant, id, tx, cameAt) : null;
      if (!before.allowed || claimed !== null) {
        if (claimed !== null) {
          const target = { type: 'delivery_attempt', id };
          await this.audit.record(projectAct(scope, 'delivery.retry_now', { try: claimed.tryNumber }, target), tx);
        }
        return { readiness: before, claimed };
      }
      return { readiness: await this.readiness.of(await this.view(scope, id, tx), 'retry_now', 'worker'), claimed };
    });
  }

  private async view(scope: ProjectScope, id: string, db?: Db): Promise<AttemptView> {
    const view = await this.history.find(scope, id, db);
    if (view === null) throw new AttemptNotFound();
    return view;
  }
}

/** Returns how many milliseconds ago the request of the caller arrived. */
function waitedMs(): number {
  const now = performance.now();
  return now - (currentContext()?.cameAt ?? now);
}
