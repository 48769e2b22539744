import { fieldsOf } from '../../../platform/http/validation/index.js';
import { type Members, writeObject, WrittenJson } from '../../../platform/http/written-json.js';
import { EventRecord, READ_COLUMNS, type StoredEvent } from '../fields/index.js';
import type { Selection } from '../event-store/index.js';

/** Selects the columns of an {@link EventRecord}. */
export const RECORDS: Selection<StoredEvent> = { columns: READ_COLUMNS };

/** The members of an event, in the order of answers and exports. */
export const RECORD_MEMBERS = fieldsOf(EventRecord).map(({ key }) => key as keyof EventRecord);

export function eventRecord(stored: StoredEvent): WrittenJson<EventRecord> {
  return writeObject<EventRecord>(eventMembers(stored));
}

export function eventMembers(stored: StoredEvent): Members<EventRecord> {
  const members: Partial<Record<keyof EventRecord, unknown>> = {};
  for (const name of RECORD_MEMBERS) {
    const value = stored[name];
    members[name] = value instanceof Date ? value.toISOString() : value;
  }
  return { ...(members as Members<EventRecord>), properties: new WrittenJson(stored.properties) };
}
