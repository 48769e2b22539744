import type { Schemas } from '@operational-events/client';
import type { Narrowed } from '../../api/insight.js';
import {
  allOf,
  clausesOf,
  fieldOf,
  isValue,
  literalOf,
  MAX_COMPARED_CHARACTERS,
  type Scalar,
} from '../../parts/conditions.js';
import { type EventsSearch, IS_ERROR } from '../../parts/events-link.js';

type Aggregate = Schemas['Aggregate'];

/** A condition with other values may be at most so long, so that the other conditions fit as well. */
const MAX_LIST_CHARACTERS = 1_200;

/** Returns the search of the events that the page counts. @param clauses more conditions in EQL */
export function eventsWith({ event, where }: Narrowed, ...clauses: readonly (string | undefined)[]): EventsSearch {
  const more = clauses.filter((clause) => clause !== undefined);
  return { event, where: allOf([...clausesOf(where), ...more]) };
}

/** Returns the condition for the events of one value of a field. @param by a field of the analytics */
export function withValue(by: string, value: Scalar): string {
  return isValue(fieldOf(by), value);
}

/** Returns the condition for the events with other values than these. Undefined: it would be too long. */
export function withOtherValue(by: string, values: readonly Exclude<Scalar, null>[]): string | undefined {
  const isCut = values.some((value) => typeof value === 'string' && [...value].length >= MAX_COMPARED_CHARACTERS);
  const list = values.map(literalOf).join(', ');
  const field = fieldOf(by);
  return isCut || list.length > MAX_LIST_CHARACTERS ? undefined : `${field} not in (${list})`;
}

/** Returns the condition for the events behind one value of a series. Undefined: all events of its bucket. */
export function behindAggregate(aggregate: Aggregate, field: string | undefined, value: number): string | undefined {
  if (aggregate === 'count') return undefined;
  if (aggregate === 'errors' || aggregate === 'error_rate' || field === undefined) return IS_ERROR;
  const name = fieldOf(field);
  switch (aggregate) {
    case 'unique':
    case 'sum':
    case 'avg':
      return `${name} != null`;
    case 'min':
      return `${name} <= ${value}`;
    default:
      // The largest value, or those of at least a percentile.
      return `${name} >= ${value}`;
  }
}
