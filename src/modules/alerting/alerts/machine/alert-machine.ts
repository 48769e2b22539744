export const ALERT_STATUSES = ['open', 'acknowledged', 'snoozed', 'resolved'] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

/** The state of an alert event. */
export interface AlertState {
  readonly status: AlertStatus;
  /** Set while snoozed, and only then. */
  readonly snoozedUntil: Date | null;
  /** The time of the first acknowledgement since the alert event was raised or reopened. */
  readonly acknowledgedAt: Date | null;
  /** Set while resolved, and only then. */
  readonly resolvedAt: Date | null;
}

export type AlertMove =
  { readonly kind: 'acknowledge' | 'resolve' | 'reopen' } | { readonly kind: 'snooze'; readonly until: Date };

export type MoveKind = AlertMove['kind'];

/** Why a move cannot be made. */
export type MoveFault = 'is_acknowledged' | 'is_snoozed' | 'is_resolved' | 'is_unresolved';

export const NEW_ALERT: AlertState = { status: 'open', snoozedUntil: null, acknowledgedAt: null, resolvedAt: null };

/** Returns the state at a time: an expired snooze has become open. */
export function asOf(state: AlertState, now: Date): AlertState {
  const isOver = state.status === 'snoozed' && state.snoozedUntil !== null && state.snoozedUntil <= now;
  return isOver ? { ...state, status: 'open', snoozedUntil: null } : state;
}

/** Returns the state after a move, or why the move is not possible. All moves of alert events are decided here. */
export function move(before: AlertState, wish: AlertMove, now: Date): AlertState | MoveFault {
  const state = asOf(before, now);
  switch (wish.kind) {
    case 'acknowledge':
      if (state.status === 'acknowledged') return 'is_acknowledged';
      if (state.status === 'resolved') return 'is_resolved';
      return { ...state, status: 'acknowledged', snoozedUntil: null, acknowledgedAt: state.acknowledgedAt ?? now };
    case 'snooze':
      if (state.status === 'snoozed') return 'is_snoozed';
      if (state.status === 'resolved') return 'is_resolved';
      return { ...state, status: 'snoozed', snoozedUntil: wish.until };
    case 'resolve':
      if (state.status === 'resolved') return 'is_resolved';
      return { ...state, status: 'resolved', snoozedUntil: null, resolvedAt: now };
    case 'reopen':
      if (state.status !== 'resolved') return 'is_unresolved';
      return NEW_ALERT;
  }
}
