/** A batch of accepted events of one project. */
export interface OutboxRow {
  readonly position: string;
  readonly events: number;
  readonly acceptedAt: Date;
  /** The first of its events; null: it holds none. */
  readonly firstEventId: string | null;
  /** Since then. */
  readonly waitedSeconds: number;
}

/** The events of a row from the first (counted from 1) to the last, both among them. */
export interface Stretch {
  readonly row: OutboxRow;
  readonly first: number;
  readonly last: number;
}

/** An event that was accepted, by its place in the outbox and in `events`. */
export interface AcceptedPlace {
  /** Of its row in the outbox. */
  readonly position: string;
  /** In that row, from 1. */
  readonly place: number;
  readonly id: string;
  /** As the database writes it. */
  readonly timestamp: string;
  readonly acceptedAt: Date;
}

/** With what the rules of its project look at. */
export interface AcceptedEvent extends AcceptedPlace {
  readonly fields: Readonly<Record<string, unknown>>;
}
