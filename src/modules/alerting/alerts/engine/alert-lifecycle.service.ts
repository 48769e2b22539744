import { Injectable } from '@nestjs/common';
import type { Db } from '../../../../platform/database/database.js';
import type { AlertEvent } from '../events/alert-event.entity.js';
import { AlertEventsRepository, type HeldAlert } from '../events/alert-events.repository.js';
import { type NewEntry, TimelineRepository } from '../events/timeline.repository.js';
import { type AlertMove, asOf, move, type MoveFault, type MoveKind } from '../machine/alert-machine.js';
import { AlertNotifier } from './alert-notifier.js';

/** The names of moves in the timeline and in the audit. */
export const ENTRY_OF = {
  acknowledge: 'acknowledged',
  snooze: 'snoozed',
  resolve: 'resolved',
  reopen: 'reopened',
} as const satisfies Record<MoveKind, string>;

/** Changes the state of alert events, with timeline entries and notifications. The caller has locked the row. */
@Injectable()
export class AlertLifecycleService {
  constructor(
    private readonly events: AlertEventsRepository,
    private readonly timeline: TimelineRepository,
    private readonly notifier: AlertNotifier,
  ) {}

  /** Stores the end of a snooze that has expired. @returns the alert event in its current state */
  async wake({ alert, now }: HeldAlert, tx: Db): Promise<AlertEvent> {
    const state = asOf(alert, now);
    if (state.status === alert.status) return alert;
    await this.events.saveState(alert, state, tx);
    await this.timeline.add(alert, { type: 'snooze_ended', at: alert.snoozedUntil ?? now }, tx);
    return { ...alert, ...state };
  }

  /** @returns why the move is not possible, or null when it was made */
  async move(
    held: HeldAlert,
    wish: AlertMove,
    by: Pick<NewEntry, 'actorUserId' | 'note' | 'detail'>,
    tx: Db,
  ): Promise<MoveFault | null> {
    const { now } = held;
    const after = move(held.alert, wish, now);
    if (typeof after === 'string') return after;
    const before = await this.wake(held, tx);
    await this.events.saveState(before, after, tx);
    await this.timeline.add(before, { ...by, type: ENTRY_OF[wish.kind], at: now }, tx);
    const alert = { ...before, ...after };
    if (wish.kind === 'resolve') await this.notifier.notifyResolved(alert, now, tx);
    else if (wish.kind === 'reopen') await this.events.passOver(alert, tx);
    else await this.notifier.notify(alert, now, tx);
    return null;
  }
}
