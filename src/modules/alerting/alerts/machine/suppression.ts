import { type AlertState, asOf } from './alert-machine.js';

/** The fields of an alert event that decide whether a notification is sent. */
export interface NotificationState extends AlertState {
  readonly occurrences: number;
  /** How many of the occurrences have been notified. */
  readonly toldOccurrences: number;
  /** The time of the last notification of this fingerprint, which starts the cooldown. Null when there was none. */
  readonly notifiedAt: Date | null;
  readonly cooldownSeconds: number;
}

/** Whether a notification is sent now, or until when and why it is suppressed. */
export type Suppression =
  | { readonly kind: 'nothing new' | 'notify' }
  | { readonly kind: 'snoozed' | 'cooling down' | 'silenced'; readonly until: Date };

/**
 * Returns whether the occurrences that have not been notified are notified now. A suppressed notification is evaluated
 * again when its suppression ends, and then reports all these occurrences with their number.
 * @param silencedUntil when the silences that match now end; null: none matches
 */
export function suppressionOf(alert: NotificationState, silencedUntil: Date | null, now: Date): Suppression {
  const { status, snoozedUntil } = asOf(alert, now);
  if (status === 'resolved' || alert.occurrences <= alert.toldOccurrences) return { kind: 'nothing new' };
  if (status === 'snoozed' && snoozedUntil !== null) return { kind: 'snoozed', until: snoozedUntil };
  const cooled = cooldownEnd(alert.notifiedAt, alert.cooldownSeconds);
  if (cooled !== null && cooled > now) return { kind: 'cooling down', until: cooled };
  if (silencedUntil !== null && silencedUntil > now) return { kind: 'silenced', until: silencedUntil };
  return { kind: 'notify' };
}

function cooldownEnd(notifiedAt: Date | null, cooldownSeconds: number): Date | null {
  return notifiedAt === null ? null : new Date(notifiedAt.getTime() + cooldownSeconds * 1_000);
}

/**
 * Returns whether the resolution of an alert is notified: once, and only if the alert itself was. The caller evaluates
 * silences. A cooldown that began in the previous episode does not suppress a resolution.
 */
export function notifiesResolution(alert: {
  readonly toldOccurrences: number;
  readonly isResolveTold: boolean;
}): boolean {
  return alert.toldOccurrences > 0 && !alert.isResolveTold;
}
