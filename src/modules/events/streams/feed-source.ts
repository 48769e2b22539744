import type { ProjectId } from '../../access/index.js';
import type { AnswerHold, WrittenJson } from '../../../platform/http/written-json.js';

/** A position in the order of a feed: by time, and by id within one instant. */
export interface FeedCursor {
  readonly timestamp: Date;
  readonly id: string;
}

export interface FeedItem {
  readonly cursor: FeedCursor;
  /** The message, which is sent as JSON. */
  readonly message: object | WrittenJson;
}

export interface FeedRead {
  readonly items: readonly FeedItem[];
  /** Whether more items follow. False without items. */
  readonly hasMore: boolean;
  /**
   * The memory reservation of large items. One part is released when they have been read, the other when they have been
   * sent.
   */
  readonly hold?: AnswerHold;
}

/** Reads the items that a stream sends. */
export interface FeedSource {
  /** Distinguishes the feeds of one project. */
  readonly name: string;
  /** Returns the instant, shortly before now, up to which normally no new items will appear. */
  settled(projectId: ProjectId): Promise<Date>;
  /** Returns the position after which a new reader starts, or null for the first item. */
  start(projectId: ProjectId, until: Date): Promise<FeedCursor | null>;
  /**
   * Returns items in ascending order, strictly after a position and before an instant. Without a position (null), they
   * begin with the first item. Returns null when there is no memory for the items now.
   */
  read(projectId: ProjectId, after: FeedCursor | null, until: Date, limit: number): Promise<FeedRead | null>;
}

export function isAfter(cursor: FeedCursor, other: FeedCursor | null): boolean {
  if (other === null) return true;
  const difference = cursor.timestamp.getTime() - other.timestamp.getTime();
  return difference === 0 ? cursor.id > other.id : difference > 0;
}
