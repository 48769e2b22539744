import type { EventField, FilterSubject } from '../../src/modules/events/conditions/index.js';
import type { ToldEvent } from '../../src/modules/events/event-store/outbox/event-row.js';
import { CONDITION_SQL } from '../../src/modules/events/fields/index.js';

/** An event with every field that filters can test, under the names that filters use. */
export type WholeEvent = ToldEvent & { readonly [Field in EventField]: string | number | null };

const FIELDS = Object.keys(CONDITION_SQL) as EventField[];

/** The columns of a {@link WholeEvent}, read from a row of `events` with the alias `e`. */
export const WHOLE_COLUMNS = `e.id, e."timestamp", e.properties, ${FIELDS.map((field) => `${CONDITION_SQL[field]} AS "${field}"`).join(', ')}`;

export function subjectOf(event: WholeEvent): FilterSubject & { readonly fields: Record<EventField, unknown> } {
  const fields = Object.fromEntries(FIELDS.map((field) => [field, event[field]])) as Record<EventField, unknown>;
  return { fields, properties: event.properties };
}
