import type { EventField, FilterSubject } from '../../src/modules/events/conditions/index.js';
import type { ToldEvent } from '../../src/modules/events/event-store/tail/event-row.js';
import { CONDITION_SQL } from '../../src/modules/events/fields/index.js';

/** An event with everything that filters may look at, under the names that they call it. */
export type WholeEvent = ToldEvent & { readonly [Field in EventField]: string | number | null };

const FIELDS = Object.keys(CONDITION_SQL) as EventField[];

/** The columns of a {@link WholeEvent}, of a row of `events` called `e`. */
export const WHOLE_COLUMNS = `e.id, e."timestamp", e.properties, ${FIELDS.map((field) => `${CONDITION_SQL[field]} AS "${field}"`).join(', ')}`;

export function subjectOf(event: WholeEvent): FilterSubject & { readonly fields: Record<EventField, unknown> } {
  const fields = Object.fromEntries(FIELDS.map((field) => [field, event[field]])) as Record<EventField, unknown>;
  return { fields, properties: event.properties };
}
