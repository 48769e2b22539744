import { type FieldOptions, TextField } from '../../../../platform/http/fields/index.js';
import { type EventField, EVENT_FIELDS, pathOfProperty } from '../../conditions/index.js';

const LONGEST_FIELD = 200;
/** Too many to tell apart: what is said of single events. */
const NOT_GROUPED: readonly EventField[] = ['message', 'external_event_id', 'log.latency_ms'];

/** The fields that events are grouped by, properties apart. */
export const GROUPED_FIELDS = (Object.keys(EVENT_FIELDS) as EventField[]).filter((name) => !NOT_GROUPED.includes(name));
/** Those by whose values chains of events are followed. */
export const FOLLOWED_FIELDS = GROUPED_FIELDS.filter((name) => name !== 'event' && !name.startsWith('log.'));

/** The property is one of these fields or `properties.<path>`; `name` is what the caller calls it. */
export const GroupingField = (
  name: string,
  fields: readonly EventField[],
  options: FieldOptions<string> = {},
): PropertyDecorator =>
  TextField({
    max: LONGEST_FIELD,
    check: (field) =>
      (fields as readonly string[]).includes(field) || pathOfProperty(field) !== null
        ? undefined
        : `${name} is no field of events`,
    ...options,
    description: `${options.description ?? ''}${options.description === undefined ? '' : ': '}\`${fields.join('`, `')}\` or \`properties.<path>\``,
  });
