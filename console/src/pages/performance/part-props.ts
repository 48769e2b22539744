import type { Requests, Window } from '../../api/insight.js';
import { allOf, clausesOf, literalOf } from '../../parts/conditions.js';
import type { PerformanceSearch } from '../../routes/insight.js';

/** The properties of each part of the page. */
export interface PartProps {
  readonly projectId: string;
  readonly window: Window;
  readonly search: PerformanceSearch;
  readonly set: (change: Partial<PerformanceSearch>) => void;
  /** Whether the part is shown without the controls of its question. */
  readonly isBare?: boolean;
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

const isEqual = (field: string, value: string): string => `${field} == ${literalOf(value)}`;

/**
 * Returns the requests that the page is about, for the API. They are selected by filters where these exist, because sums
 * of whole hours answer filters but no conditions.
 */
export function requestsOf(search: PerformanceSearch): Requests {
  const { events, where } = search;
  const subject = subjectOf(search);
  if (subject?.by === 'endpoint') return { method: subject.method, endpoint: subject.name, where };
  if (subject !== undefined)
    return { method: subject.method, where: allOf([...clausesOf(where), isEqual('log.route', subject.name)]) };
  return events === 'other' ? { method: NO_METHOD, where } : { requests_only: true, where };
}

/**
 * Returns an EQL condition for the events that the page is about, for links to them.
 * @param narrower more conditions
 */
export function conditionOf(search: PerformanceSearch, ...narrower: readonly string[]): string | undefined {
  const { method, endpoint, requests_only, where } = requestsOf(search);
  return allOf([
    ...clausesOf(where),
    ...(requests_only === true ? [`log.method != ${literalOf(NO_METHOD)}`] : []),
    ...(method === undefined ? [] : [isEqual('log.method', method.toUpperCase())]),
    ...(endpoint === undefined ? [] : [isEqual('log.endpoint', endpoint)]),
    ...narrower,
  ]);
}

/**
 * Returns an EQL condition for the events of one item of a list. Undefined: the item combines the rarest endpoints of an
 * hour, which have no name.
 */
export function conditionOfOne(
  search: PerformanceSearch,
  by: Subject['by'],
  { method, endpoint }: { readonly method: string | null; readonly endpoint: string | null },
  ...narrower: readonly string[]
): string | undefined {
  if (method === null || endpoint === null) return undefined;
  return conditionOf({ ...search, route: undefined, endpoint: undefined, [by]: endpoint, method }, ...narrower);
}

/** Returns the requests of the list by route or endpoint, narrowed to names or methods that contain the search text. */
export function listedOf({ by, events, where, q }: PerformanceSearch): Requests {
  const found = [`log.${by ?? 'route'}`, 'log.method'].map(
    (field) => `stringContains~(${field}, ${literalOf(q ?? '')})`,
  );
  return {
    ...(events === 'other' ? { method: NO_METHOD } : { requests_only: true }),
    where: allOf([...clausesOf(where), ...(q === undefined ? [] : [`(${found.join(' or ')})`])]),
  };
}
