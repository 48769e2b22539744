import type { EventSize } from '../../reads/index.js';

/** An event that fits a term. */
export interface MatchedEvent {
  readonly id: string;
  /** Its timestamp, in milliseconds. */
  readonly ms: number;
  /** Its number among all that were looked at, in their order. */
  readonly ordinal: number;
  /** Where it came along: of few events, all of which may be shown. */
  readonly size?: EventSize;
}
