import { TextField } from '../../../platform/http/validation/index.js';
import { type EventCondition, readCondition } from '../eql-language/index.js';
import { EventFilters } from './event-filters.js';

/** Declares a property that is an EQL condition on events. */
export const ConditionField = (): PropertyDecorator =>
  TextField({
    min: 1,
    max: 2_000,
    optional: true,
    example: 'properties.plan == "pro" and log.status >= 500',
    description: 'Only events that match this EQL condition. Faults have the form of `POST /v1/eql`',
  });

/** The filters of a list that also takes a condition. */
export class ConditionalFilters extends EventFilters {
  @ConditionField()
  where?: string;
}

/**
 * Compiles the condition of a request, or returns null when the request has none.
 * @throws ValidationError
 */
export function conditionOf(where: string | undefined, place: 'query' | 'body'): EventCondition | null {
  return where === undefined ? null : readCondition(where, [place, 'where']);
}
