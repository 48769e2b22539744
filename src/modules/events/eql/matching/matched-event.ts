import type { EventPlace } from '../../reads/index.js';

/** An event that fits a term, and its number among all that were looked at, in their order. */
export interface MatchedEvent {
  readonly place: EventPlace;
  /** Its timestamp, in milliseconds. */
  readonly ms: number;
  readonly ordinal: number;
}
