import type { Locator } from './cursor.js';

/** The position and the size of an event. The size is known before the large columns of the event are read. */
export interface EventLocator extends Locator, EventSize {}

export interface EventSize {
  /** The size of the texts of an event in bytes. Null when the event was stored before sizes were recorded. */
  readonly bytes: number | null;
  /** The compressed size of the properties in bytes. Null when `bytes` is known. */
  readonly stored: number | null;
}

/** The size of the texts outside the properties. PostgreSQL computes it without reading the texts. */
const BESIDE = `coalesce(octet_length(message), 0) + octet_length(log_method) + octet_length(log_endpoint)`;

/** The size columns of an {@link EventLocator}. */
export const SIZE_COLUMNS = `bytes + ${BESIDE} AS bytes, CASE WHEN bytes IS NULL THEN pg_column_size(properties) END AS stored`;

/** The columns of an {@link EventLocator}, for a SELECT from `events`. */
export const LOCATOR_COLUMNS = `"timestamp", id, ${SIZE_COLUMNS}`;

/** SQL for the size of an event that was stored without a size. It reads the properties. */
export const MEASURED_BYTES = `octet_length(properties::text) + ${BESIDE}`;
