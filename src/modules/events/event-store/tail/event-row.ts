/** What an alert tells of the event that set it off. */
export interface ToldEvent {
  readonly id: string;
  readonly timestamp: Date;
  readonly event: string;
  readonly source: string;
  /** The Event Source; null: none sent it. */
  readonly source_id: string | null;
  readonly message: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The columns of a {@link ToldEvent}, of a row of `events` called `e`. */
export const TOLD_COLUMNS = 'e.id, e."timestamp", e.event, e.source, e.source_id, e.message, e.properties';

/** What stands for properties that are too large to be told. */
export const LEFT_OUT = { omitted: 'properties are too large' };
