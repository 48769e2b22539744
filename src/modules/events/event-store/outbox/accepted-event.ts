/** A batch of accepted events of one project. */
export interface OutboxRow {
  readonly position: string;
  readonly events: number;
  readonly acceptedAt: Date;
  /** Null when the batch has no events. */
  readonly firstEventId: string | null;
  /** The time since `acceptedAt`. */
  readonly waitedSeconds: number;
}

/** The events of a row from `first` to `last`, both included and counted from 1. */
export interface OutboxSlice {
  readonly row: OutboxRow;
  readonly first: number;
  readonly last: number;
}

/** An accepted event, by its position in the outbox and its key in `events`. */
export interface AcceptedLocator {
  /** The position of its row in the outbox. */
  readonly position: string;
  /** The index in that row, from 1. */
  readonly ordinal: number;
  readonly id: string;
  /** In the text format of the database. */
  readonly timestamp: string;
  readonly acceptedAt: Date;
}

/** An accepted event with the fields that the rules of its project read. */
export interface AcceptedEvent extends AcceptedLocator {
  readonly fields: Readonly<Record<string, unknown>>;
}
