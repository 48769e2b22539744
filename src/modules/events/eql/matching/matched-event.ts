import type { StoredEvent } from '../../fields/index.js';
import type { EventSize } from '../../event-store/index.js';

/** An event that fits a term. */
export interface MatchedEvent {
  readonly id: string;
  /** Its timestamp, in milliseconds. */
  readonly ms: number;
  /** Its number among all that were looked at, in their order. */
  readonly ordinal: number;
  /** Where it came along: of few events, all of which may be shown. */
  readonly size?: EventSize;
  /** The event itself, where it came along, too. */
  readonly record?: StoredEvent;
}
