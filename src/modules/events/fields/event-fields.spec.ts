import { describe, expect, it } from '@jest/globals';
import { fieldsOf } from '../../../platform/http/validation/index.js';
import { COMPUTED_FIELDS } from './computed-fields.js';
import { EventRecord, IngestRequest } from './event.dto.js';
import { BROUGHT_COLUMNS, CONDITION_FIELDS, CONDITION_SQL, FIELD_TABLE, PROPERTY_FIELDS } from './event-fields.js';

const namesOf = (cls: typeof IngestRequest | typeof EventRecord): string[] =>
  fieldsOf(cls)
    .map(({ wire }) => wire)
    .sort();
const fields = Object.entries(FIELD_TABLE);

describe('the table of event fields', () => {
  it('has every member of a request but payload and properties', () => {
    const sent = fields.flatMap(([, field]) => ('sent' in field ? [field.sent] : []));
    expect([...sent, 'payload', 'properties'].sort()).toEqual(namesOf(IngestRequest));
  });

  it('has every member of what reads give', () => {
    expect(
      fields
        .filter(([, { isRead }]) => isRead)
        .map(([column]) => column)
        .sort(),
    ).toEqual(namesOf(EventRecord));
  });

  it('gives each property a place of its own', () => {
    const places = fields.flatMap(([, field]) => ('property' in field ? [field.property] : []));
    expect(places.sort((one, other) => one - other)).toEqual(PROPERTY_FIELDS.map((_, index) => index + 1));
  });

  it('gives what conditions may ask for names that no property has', () => {
    const names = Object.keys(CONDITION_FIELDS);
    expect(names).toEqual(Object.keys(CONDITION_SQL));
    const stored = fields.filter(([, { condition }]) => condition !== null);
    expect(names).toHaveLength(stored.length + Object.keys(COMPUTED_FIELDS).length);
    expect(names.filter((name) => name.startsWith('properties'))).toEqual([]);
  });

  it('has batches bring all but the time of acceptance', () => {
    expect(Object.keys(FIELD_TABLE).filter((column) => !(column in BROUGHT_COLUMNS))).toEqual(['created_at']);
  });
});
