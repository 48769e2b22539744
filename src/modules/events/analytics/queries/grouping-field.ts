import { type FieldOptions, TextField } from '../../../../platform/http/validation/index.js';
import { type EventField, EVENT_FIELDS, pathOfProperty } from '../../conditions/index.js';

const LONGEST_FIELD = 200;
/** Fields that have too many different values to group by, because they describe single events. */
const NOT_GROUPED: readonly EventField[] = ['message', 'external_event_id', 'log.latency_ms'];

/** The fields of the service that events can be grouped by. `properties.<path>` is allowed in addition. */
export const GROUPED_FIELDS = (Object.keys(EVENT_FIELDS) as EventField[]).filter((name) => !NOT_GROUPED.includes(name));
/** The fields of the service that can correlate the events of a funnel. */
export const FOLLOWED_FIELDS = GROUPED_FIELDS.filter((name) => name !== 'event' && !name.startsWith('log.'));

/**
 * Declares a property whose value is one of `fields` or `properties.<path>`. Error messages call the parameter `name`.
 */
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
