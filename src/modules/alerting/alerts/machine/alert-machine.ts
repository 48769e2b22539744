export const ALERT_STATUSES = ['open', 'acknowledged', 'snoozed', 'resolved'] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

/** Where an alert event stands. */
export interface AlertState {
  readonly status: AlertStatus;
  /** Set while snoozed, and only then. */
  readonly snoozedUntil: Date | null;
  /** When somebody first acknowledged it since it was raised or reopened. */
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

/** The state at an instant: a snooze that is over has become open by itself. */
export function asOf(state: AlertState, now: Date): AlertState {
  const isOver = state.status === 'snoozed' && state.snoozedUntil !== null && state.snoozedUntil <= now;
  return isOver ? { ...state, status: 'open', snoozedUntil: null } : state;
}

/** The life of an alert event (DECISIONS 9): the only place that decides what a move makes of it. */
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
