import { Injectable, Logger } from '@nestjs/common';
import type { EachProjectScope, ProjectMemberScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { DomainError } from '../../../../platform/http/domain-error.js';
import { brokenRule } from '../../../../platform/http/validation/index.js';
import type { AlertMove } from '../machine/alert-machine.js';
import { AlertChangesService } from './alert-changes.service.js';
import {
  type BulkRequest,
  type BulkResponse,
  type BulkResult,
  INTERNAL_ERROR,
  type SnoozeRequest,
} from './alert-actions.dto.js';
import type { AlertEventResponse } from '../events/alert-events.dto.js';

const LONGEST_SNOOZE_MS = 366 * 86_400_000;

type Note = string | null | undefined;

/** Runs the actions of people on alert events. */
@Injectable()
export class AlertActionsService {
  private readonly logger = new Logger('alerts');

  constructor(
    private readonly changes: AlertChangesService,
    private readonly clock: Clock,
  ) {}

  acknowledge(scope: ProjectMemberScope, id: string, note: Note): Promise<AlertEventResponse> {
    return this.changes.move(scope, id, { kind: 'acknowledge' }, note);
  }

  resolve(scope: ProjectMemberScope, id: string, note: Note): Promise<AlertEventResponse> {
    return this.changes.move(scope, id, { kind: 'resolve' }, note);
  }

  reopen(scope: ProjectMemberScope, id: string, note: Note): Promise<AlertEventResponse> {
    return this.changes.move(scope, id, { kind: 'reopen' }, note);
  }

  async snooze(scope: ProjectMemberScope, id: string, { until, note }: SnoozeRequest): Promise<AlertEventResponse> {
    const ahead = until.getTime() - this.clock.now().getTime();
    if (ahead <= 0) throw brokenRule(['body', 'until'], 'until must lie in the future', until.toISOString());
    if (ahead > LONGEST_SNOOZE_MS) throw brokenRule(['body', 'until'], 'until lies too far ahead', until.toISOString());
    return this.changes.move(scope, id, { kind: 'snooze', until }, note);
  }

  assign(scope: ProjectMemberScope, id: string, userId: string | null): Promise<AlertEventResponse> {
    return this.changes.assign(scope, id, userId);
  }

  comment(scope: ProjectMemberScope, id: string, body: string): Promise<AlertEventResponse> {
    return this.changes.comment(scope, id, body);
  }

  /**
   * Changes each alert event in a separate transaction. An alert event of a project that the caller is not a member of
   * is reported as not found.
   */
  async bulk(scope: EachProjectScope, { ids, action, note }: BulkRequest): Promise<BulkResponse> {
    const results = new Map<string, BulkResult>();
    for (const id of ids) {
      if (!results.has(id)) results.set(id, await this.one(scope, id, { kind: action }, note));
    }
    return { results: ids.flatMap((id) => results.get(id) ?? []) };
  }

  private async one(scope: EachProjectScope, id: string, wish: AlertMove, note: Note): Promise<BulkResult> {
    try {
      await this.changes.move(await scope.memberOf(id), id, wish, note);
      return { id, ok: true, detail: null };
    } catch (error) {
      if (error instanceof DomainError && typeof error.detail === 'string')
        return { id, ok: false, detail: error.detail };
      // The error is not thrown: only the response can report what was done with the earlier ids.
      this.logger.error(`${wish.kind} of alert event ${id} failed: ${String(error)}`);
      return { id, ok: false, detail: INTERNAL_ERROR };
    }
  }
}
