import type { StoredEvent } from '../../fields/index.js';
import type { EventSize } from '../../event-store/index.js';

/** An event that a query compares with its terms. */
export interface MatchedEvent {
  readonly id: string;
  /** The timestamp in milliseconds. */
  readonly ms: number;
  /** The number of the event among all scanned events, in the order of the scan. */
  readonly ordinal: number;
  /**
   * The size, if it was read with the event. Event queries read sizes, because all events that they find may be shown.
   */
  readonly size?: EventSize;
  /** The whole event, if it was read as well. */
  readonly record?: StoredEvent;
}
