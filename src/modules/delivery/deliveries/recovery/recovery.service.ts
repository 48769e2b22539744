import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { currentContext } from '../../../../platform/telemetry/index.js';
import { newId } from '../../../../platform/ids/index.js';
import { ProjectAuthorization } from '../../../tenancy/projects/index.js';
import type { Recovery } from '../attempts/attempt-states.js';
import { ProtectedHeaderOpener } from '../channels/protected-header.opener.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptNotFound, RecoveryRefused } from '../delivery.errors.js';
import { AttemptPresenter } from '../history/attempt.presenter.js';
import type { AttemptView } from '../history/attempt-view.js';
import { HistoryRepository } from '../history/history.repository.js';
import type { Refused } from '../attempts/readiness.js';
import type { RecoveryAudit } from './recovery-audit.entity.js';
import { RecoveryAuditWriter } from './recovery-audit.writer.js';
import { type DlqDrainResponse, drainResponse, type ReplayResponse, replayResponse } from './recovery.dto.js';
import { RecoveryDispatcher } from './recovery.dispatcher.js';

/** How long a request waits for the first send of the new attempt: the deadline of a webhook, 5 s, and a margin. */
const WAIT_MS = 6_500;
const FIRST_LOOK_MS = 10;
const LONGEST_LOOK_MS = 200;

interface Recovered {
  readonly audit: RecoveryAudit;
  /** The new attempt. Its first send may not have ended yet. */
  readonly created: AttemptView;
}

/**
 * Replays or drains a failed attempt: a new attempt sends the same notification, once for each source. The source keeps
 * its evidence. A retry that is scheduled for the source is cancelled, so that the notification is not sent twice.
 */
@Injectable()
export class RecoveryService {
  constructor(
    private readonly database: Database,
    private readonly attempts: AttemptsRepository,
    private readonly history: HistoryRepository,
    private readonly headers: ProtectedHeaderOpener,
    private readonly presenter: AttemptPresenter,
    private readonly authorization: ProjectAuthorization,
    private readonly audits: RecoveryAuditWriter,
    private readonly dispatcher: RecoveryDispatcher,
  ) {}

  /** @throws RecoveryRefused */
  async replay(scope: ProjectMemberScope, id: string): Promise<ReplayResponse> {
    const { audit, created } = await this.recover(scope, id, 'replay');
    return replayResponse(audit, await this.presenter.summary(created));
  }

  /** @throws RecoveryRefused */
  async drain(scope: ProjectMemberScope, id: string): Promise<DlqDrainResponse> {
    const { audit, created } = await this.recover(scope, id, 'dlq_drain');
    return drainResponse(audit, created);
  }

  /** @throws RecoveryRefused when readiness, decided again under the lock of the source, does not allow the action */
  private async recover(scope: ProjectMemberScope, id: string, action: Recovery): Promise<Recovered> {
    const { audit, due } = await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const source = await this.attempts.lock(scope, id, tx);
      if (source === null) throw new AttemptNotFound();
      const view = await this.view(scope, id, tx);
      const decision = await this.presenter.decide(action, view);
      if (!decision.allowed) throw refusalOf(decision, view);
      await this.headers.assertAvailable(scope, source.channelId, tx);
      if (source.retryState === 'scheduled_retry') await this.attempts.endSchedule(scope, id, tx);
      const createdId = newId();
      await this.attempts.insert(
        scope,
        {
          id: createdId,
          channelId: source.channelId,
          kind: source.kind,
          rule: source.rule,
          event: source.event,
          eventId: source.eventId,
          ruleId: source.ruleId,
          sourceId: source.sourceId,
          evaluationId: source.evaluationId,
          parentAttemptId: id,
          recovery: action,
          deliveredTo: source.deliveredTo,
          traceparent: currentContext()?.traceparent ?? source.traceparent,
        },
        tx,
      );
      return {
        audit: await this.audits.record(scope, action, { sourceId: id, createdId }, tx),
        due: { attemptId: createdId, projectId: scope.projectId, channelId: source.channelId },
      };
    });
    await this.dispatcher.begin(due, action);
    return { audit, created: await this.afterFirstTry(scope, due.attemptId) };
  }

  private async afterFirstTry(scope: ProjectScope, id: string): Promise<AttemptView> {
    const until = performance.now() + WAIT_MS;
    for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(lookMs * 2, LONGEST_LOOK_MS)) {
      const view = await this.view(scope, id);
      if (view.status !== 'pending' || performance.now() + lookMs > until) return view;
      await pause(lookMs);
    }
  }

  private async view(scope: ProjectScope, id: string, db?: Db): Promise<AttemptView> {
    const view = await this.history.find(scope, id, db);
    if (view === null) throw new AttemptNotFound();
    return view;
  }
}

/** Returns the error. For a source that was recovered before, the error names the attempt that was made from it. */
function refusalOf(
  { action, reasonCode, reason }: Refused,
  { recoveredBy, recoveredById }: AttemptView,
): RecoveryRefused {
  const isReplayed = recoveredBy === 'replay' && reasonCode === 'replay_created_attempt';
  if (isReplayed && action === 'replay') {
    return new RecoveryRefused({ ...RecoveryRefused.detail, replay_attempt_id: recoveredById });
  }
  return new RecoveryRefused({
    code: reasonCode,
    reason,
    ...(isReplayed && { replay_attempt_id: recoveredById }),
    ...(reasonCode === 'already_drained' && { drain_attempt_id: recoveredById }),
  });
}
