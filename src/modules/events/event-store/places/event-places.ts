import type { Place } from './cursor.js';

/** Where an event lies, and what it takes to read it: known before anything large of it is looked at. */
export interface EventPlace extends Place, EventSize {}

export interface EventSize {
  /** Null: stored before sizes were kept. */
  readonly bytes: number | null;
  /** Of its properties as they are stored, compressed; null where the size is known. */
  readonly stored: number | null;
}

/** Beside its properties: texts that it repeats. Asking for their length reads none of them. */
const BESIDE = `coalesce(octet_length(message), 0) + octet_length(log_method) + octet_length(log_endpoint)`;

/** What it takes to read an event, of the columns of an {@link EventPlace}. */
export const SIZE_COLUMNS = `bytes + ${BESIDE} AS bytes, CASE WHEN bytes IS NULL THEN pg_column_size(properties) END AS stored`;

/** The columns of an {@link EventPlace}, for a SELECT from `events`. */
export const PLACE_COLUMNS = `"timestamp", id, ${SIZE_COLUMNS}`;

/** The size of an event that was stored without one; reads the properties. */
export const MEASURED_BYTES = `octet_length(properties::text) + ${BESIDE}`;
