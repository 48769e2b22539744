/** A place in the order of a feed: by time, things of one instant by id. */
export interface FeedPlace {
  readonly timestamp: Date;
  readonly id: string;
}

export interface FeedItem {
  readonly place: FeedPlace;
  /** Goes out as JSON. */
  readonly message: object;
}

/** Where the things that a stream shows are read. */
export interface FeedSource {
  /** Tells the feeds of one project apart. */
  readonly name: string;
  /** The instant up to which nothing new is to be expected in the usual course, a little before now. */
  settled(projectId: string): Promise<Date>;
  /** Where a new reader begins; null: with the first thing there is. */
  start(projectId: string, until: Date): Promise<FeedPlace | null>;
  /** Ascending, strictly after a place (null: from the first on) and before an instant. */
  read(projectId: string, after: FeedPlace | null, until: Date, limit: number): Promise<FeedItem[]>;
}

export function isAfter(place: FeedPlace, other: FeedPlace | null): boolean {
  if (other === null) return true;
  const difference = place.timestamp.getTime() - other.timestamp.getTime();
  return difference === 0 ? place.id > other.id : difference > 0;
}
