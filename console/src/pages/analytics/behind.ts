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

/** Conditions that a value of a type meets, whatever it is. */
const ANY_OF = [
  ['string', (field: string) => `${field} >= ""`],
  ['number', (field: string) => `${field} >= 0 or ${field} < 0`],
  ['boolean', (field: string) => `${field} in (true, false)`],
] as const;

/** Returns the search of the events that the page counts. @param clauses more conditions in EQL */
export function eventsWith({ event, where }: Narrowed, ...clauses: readonly (string | undefined)[]): EventsSearch {
  const more = clauses.filter((clause) => clause !== undefined);
  return { event, where: allOf([...clausesOf(where), ...more]) };
}

/**
 * Returns the search of the events of one value of a field. Undefined: there is none, since a property that is a list
 * or an object counts as missing. @param by a field of the analytics
 */
export function eventsOfValue(narrowed: Narrowed, by: string, value: Scalar, more?: string): EventsSearch | undefined {
  const isNameless = value === null && by.startsWith('properties.');
  return isNameless ? undefined : eventsWith(narrowed, isValue(fieldOf(by), value), more);
}

interface Others {
  /** The values that are named. */
  readonly values: readonly Exclude<Scalar, null>[];
  /** Whether events without the field are among the others. */
  readonly hasMissing: boolean;
}

/** Returns the search of the events with other values than those named. Undefined: no condition says so. */
export function eventsOfOthers(
  narrowed: Narrowed,
  by: string,
  { values, hasMissing }: Others,
  more?: string,
): EventsSearch | undefined {
  const isCut = values.some((value) => typeof value === 'string' && [...value].length >= MAX_COMPARED_CHARACTERS);
  const isProperty = by.startsWith('properties.');
  if (isCut || (isProperty && hasMissing)) return undefined;
  const field = fieldOf(by);
  const isNone = (of: readonly Exclude<Scalar, null>[]): string => `${field} not in (${of.map(literalOf).join(', ')})`;
  if (!isProperty) {
    return eventsWith(narrowed, hasMissing ? `(${field} == null or ${isNone(values)})` : isNone(values), more);
  }
  // Values are compared by type, and with the elements of a list.
  const ofTypes = ANY_OF.map(([type, isAny]) => {
    const known = values.filter((value) => typeof value === type);
    return known.length === 0 ? isAny(field) : isNone(known);
  });
  return eventsWith(narrowed, `(${ofTypes.join(' or ')})`, `${field}[0] == null`, more);
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
