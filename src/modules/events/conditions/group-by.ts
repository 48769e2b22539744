import {
  failed,
  type FieldOptions,
  type Kind,
  KindField,
  list,
  ruleBroken,
  text,
} from '../../../platform/http/validation/index.js';
import { EVENT_FIELDS, MAX_FIELD_LENGTH } from './filter.js';
import { FilterReader } from './filter-reader.js';

const MAX_GROUP_FIELDS = 5;

function field(): Kind<string> {
  return {
    document: text({ min: 1, max: MAX_FIELD_LENGTH }).document,
    build: () => (value) => {
      const name = new FilterReader(EVENT_FIELDS).field(value);
      return failed(name) || name !== 'message' ? name : ruleBroken('messages are too many to group by', value);
    },
  };
}

/** Declares a property that is a list of distinct fields to group events by. */
export const GroupByField = (options: FieldOptions<string[]> = {}): PropertyDecorator =>
  KindField(
    list(field(), {
      max: MAX_GROUP_FIELDS,
      check: (names) => (new Set(names).size === names.length ? undefined : 'each field is named once'),
    }),
    options,
  );
