import type { ProjectId } from '../../access/index.js';
import type { AnswerHold, WrittenJson } from '../../../platform/http/written-json.js';

/** A place in the order of a feed: by time, things of one instant by id. */
export interface FeedPlace {
  readonly timestamp: Date;
  readonly id: string;
}

export interface FeedItem {
  readonly place: FeedPlace;
  /** Goes out as JSON. */
  readonly message: object | WrittenJson;
}

export interface FeedRead {
  readonly items: readonly FeedItem[];
  /** Whether there are more behind these; false when there are none. */
  readonly hasMore: boolean;
  /** Of large items: what counts their bytes, to be told how far they have come. */
  readonly hold?: AnswerHold;
}

/** Where the things that a stream shows are read. */
export interface FeedSource {
  /** Tells the feeds of one project apart. */
  readonly name: string;
  /** The instant up to which nothing new is to be expected in the usual course, a little before now. */
  settled(projectId: ProjectId): Promise<Date>;
  /** Where a new reader begins; null: with the first thing there is. */
  start(projectId: ProjectId, until: Date): Promise<FeedPlace | null>;
  /**
   * Ascending, strictly after a place (null: from the first on) and before an instant. Null: there is no room for them now.
   */
  read(projectId: ProjectId, after: FeedPlace | null, until: Date, limit: number): Promise<FeedRead | null>;
}

export function isAfter(place: FeedPlace, other: FeedPlace | null): boolean {
  if (other === null) return true;
  const difference = place.timestamp.getTime() - other.timestamp.getTime();
  return difference === 0 ? place.id > other.id : difference > 0;
}
