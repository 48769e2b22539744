import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { AttemptNotFound } from '../delivery.errors.js';
import { AttemptPresenter, decisionResponse } from '../history/attempt.presenter.js';
import type { AttemptView } from '../history/attempt-view.js';
import type { AttemptResponse } from '../history/history.dto.js';
import { HistoryRepository } from '../history/history.repository.js';
import type { RecoveryAction } from '../attempts/readiness.js';
import type { ReadinessResponse } from './recovery.dto.js';

/** Reports whether a recovery action would be allowed. It only reads, and reserves nothing. */
@Injectable()
export class ReadinessService {
  constructor(
    private readonly history: HistoryRepository,
    private readonly presenter: AttemptPresenter,
  ) {}

  async ask(scope: ProjectScope, id: string, action: RecoveryAction): Promise<ReadinessResponse> {
    const view = await this.history.find(scope, id);
    if (view === null) throw new AttemptNotFound();
    return this.of(view, action);
  }

  /** @param claimedBy the kind of a claim that exists although the view does not show it yet */
  async of(view: AttemptView, action: RecoveryAction, claimedBy?: 'worker'): Promise<ReadinessResponse> {
    const seen = { ...view, claimKind: view.claimKind ?? claimedBy ?? null };
    const decision = await this.presenter.decide(action, seen);
    return { ...decisionResponse(decision), attempt: await this.presenter.summary(view) };
  }

  summary(view: AttemptView): Promise<AttemptResponse> {
    return this.presenter.summary(view);
  }
}
