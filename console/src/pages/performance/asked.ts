import type { Requests, Window } from '../../api/insight.js';
import type { PerformanceSearch } from '../../routes/insight.js';

/** The properties of each part of the page. */
export interface PartProps {
  readonly projectId: string;
  readonly window: Window;
  readonly search: PerformanceSearch;
  readonly set: (change: Partial<PerformanceSearch>) => void;
}

/** The derived method of events that name none. */
const NO_METHOD = 'EVENT';

/** One route or endpoint. */
export interface Subject {
  readonly by: 'route' | 'endpoint';
  readonly name: string;
  /** Undefined: every method. */
  readonly method: string | undefined;
}

/** Returns the route or endpoint that has the page. Undefined: the page is about all. */
export function subjectOf({ route, endpoint, method }: PerformanceSearch): Subject | undefined {
  if (route !== undefined) return { by: 'route', name: route, method };
  return endpoint === undefined ? undefined : { by: 'endpoint', name: endpoint, method };
}

/** Returns an EQL condition that is true when all of these are. */
function allOf(conditions: readonly (string | undefined)[]): string | undefined {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length === 0 ? undefined : given.join(' and ');
}

const isEqual = (field: string, value: string): string => `${field} == ${JSON.stringify(value)}`;

/** A condition that somebody wrote may have an `or`. */
const asOne = (where: string | undefined): string | undefined => (where === undefined ? undefined : `(${where})`);

/**
 * Returns the requests that the page is about, for the API. Method and endpoint are filters of their own where they can
 * be, because sums of whole hours answer those.
 */
export function requestsOf(search: PerformanceSearch): Requests {
  const { events } = search;
  const where = asOne(search.where);
  const subject = subjectOf(search);
  if (subject?.by === 'endpoint') return { method: subject.method, endpoint: subject.name, where };
  if (subject !== undefined)
    return { method: subject.method, where: allOf([where, isEqual('log.route', subject.name)]) };
  if (events === 'other') return { method: NO_METHOD, where };
  return { where: allOf([where, `log.method != "${NO_METHOD}"`]) };
}

/**
 * Returns an EQL condition for the events that the page is about, for links to them.
 * @param narrower more conditions
 */
export function conditionOf(search: PerformanceSearch, ...narrower: readonly string[]): string | undefined {
  const { method, endpoint, where } = requestsOf(search);
  return allOf([
    where,
    method === undefined ? undefined : isEqual('log.method', method.toUpperCase()),
    endpoint === undefined ? undefined : isEqual('log.endpoint', endpoint),
    ...narrower,
  ]);
}

/** Returns the requests of the list by route or endpoint, narrowed to names or methods that contain the search text. */
export function listedOf({ by, events, where, q }: PerformanceSearch): Requests {
  const found = [`log.${by ?? 'route'}`, 'log.method'].map(
    (field) => `stringContains~(${field}, ${JSON.stringify(q)})`,
  );
  return {
    method: events === 'other' ? NO_METHOD : undefined,
    where: allOf([asOne(where), q === undefined ? undefined : `(${found.join(' or ')})`]),
  };
}
