import { type AlertState, asOf } from './alert-machine.js';

/** What of an alert event decides whether somebody is told. */
export interface NoticeState extends AlertState {
  readonly occurrences: number;
  /** Of them, those that notices have told of. */
  readonly toldOccurrences: number;
  /** When the last notice of this fingerprint went out that still counts; null: none. */
  readonly notifiedAt: Date | null;
  readonly cooldownSeconds: number;
}

/** Whether to tell now, or until when nobody is told, and why. */
export type Hold =
  | { readonly kind: 'nothing to tell' | 'tell' }
  | { readonly kind: 'snoozed' | 'cooling down' | 'silenced'; readonly until: Date };

/**
 * Whether to tell of the occurrences that nobody was told of yet. What is held back is looked at again when the hold is
 * over, so it is told later, in one notice with its number.
 * @param silencedUntil when the silences end that match now; null: none does
 */
export function holdOf(alert: NoticeState, silencedUntil: Date | null, now: Date): Hold {
  const { status, snoozedUntil } = asOf(alert, now);
  if (status === 'resolved' || alert.occurrences <= alert.toldOccurrences) return { kind: 'nothing to tell' };
  if (status === 'snoozed' && snoozedUntil !== null) return { kind: 'snoozed', until: snoozedUntil };
  const cooled = cooldownEnd(alert.notifiedAt, alert.cooldownSeconds);
  if (cooled !== null && cooled > now) return { kind: 'cooling down', until: cooled };
  if (silencedUntil !== null && silencedUntil > now) return { kind: 'silenced', until: silencedUntil };
  return { kind: 'tell' };
}

function cooldownEnd(notifiedAt: Date | null, cooldownSeconds: number): Date | null {
  return notifiedAt === null ? null : new Date(notifiedAt.getTime() + cooldownSeconds * 1_000);
}

/**
 * Whether the end of an episode is to be told, after the silences that match: once, and only to those who may know of its
 * beginning. A cooldown that is left from the episode before says nothing of this one.
 */
export function tellsResolve(alert: { readonly toldOccurrences: number; readonly isResolveTold: boolean }): boolean {
  return alert.toldOccurrences > 0 && !alert.isResolveTold;
}
