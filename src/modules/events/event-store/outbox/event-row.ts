/** The parts of an event that an alert shows. */
export interface ToldEvent {
  readonly id: string;
  readonly timestamp: Date;
  readonly event: string;
  readonly source: string;
  /** The Event Source. Null when the event was not sent by one. */
  readonly source_id: string | null;
  readonly message: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The columns of a {@link ToldEvent}, for a row of `events` with the alias `e`. */
export const TOLD_COLUMNS = 'e.id, e."timestamp", e.event, e.source, e.source_id, e.message, e.properties';

/** Marks properties of which something was left out. */
export const LEFT_OUT = { omitted: 'properties are too large' };
