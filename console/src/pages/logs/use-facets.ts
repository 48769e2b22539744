import type { Schemas } from '@operational-events/client';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { breakdown, EVENT_FILTERS, facets, type Window } from '../../api/insight.js';
import { fieldOf, type Scalar } from '../../parts/conditions.js';
import type { LogsSearch } from '../../routes/logs-search.js';
import { choiceOf, narrowedOf } from './choices.js';

export const CLASS = 'log.status_class';

/** A value and the number of its events. */
export interface Counted {
  readonly value: Scalar;
  readonly count: number;
  readonly name?: string | null;
}

interface Asked {
  readonly projectId: string;
  readonly window: Window;
  readonly search: LogsSearch;
  /** Paths of the properties whose values are counted. */
  readonly paths: readonly string[];
  /** Counts by class of the HTTP status, with all filters. */
  readonly byClass: Schemas['TimeseriesResponse'] | undefined;
  readonly refetchInterval: number | false;
}

/**
 * Reads the values of all facets. A facet ignores its own filter, so that another value can be chosen next to the
 * present one: each facet with a filter needs a request of its own.
 */
export function useFacets({ projectId, window, search, paths, byClass, refetchInterval }: Asked) {
  const shared = { placeholderData: keepPreviousData, refetchInterval } as const;
  const counted = useQuery({ ...facets(projectId, window, narrowedOf(search), paths), ...shared });
  const chosen = [...EVENT_FILTERS, ...paths].flatMap((name) => {
    const { values, rest } = choiceOf(search, fieldOf(name));
    return values.length === 0 ? [] : [{ name, rest }];
  });
  const others = useQueries({
    queries: chosen.map(({ name, rest }) => ({
      ...facets(projectId, window, narrowedOf(rest), name.startsWith('properties.') ? [name] : []),
      ...shared,
    })),
  });
  const ofClass = choiceOf(search, CLASS);
  const classes = useQuery({
    ...breakdown(projectId, window, narrowedOf(ofClass.rest), CLASS),
    ...shared,
    enabled: ofClass.values.length > 0,
  });
  const own = new Map(chosen.map(({ name }, index) => [name, others[index]?.data?.facets]));
  const main = counted.data?.facets;
  return {
    /** With all filters. */
    facets: main,
    error: counted.error ?? others.find(({ error }) => error !== null)?.error ?? classes.error,
    valuesOf: (name: (typeof EVENT_FILTERS)[number]): readonly Counted[] => (own.get(name) ?? main)?.[name] ?? [],
    propertyOf: (path: string) => (own.get(path) ?? main)?.by?.find(({ field }) => field === path),
    classes:
      ofClass.values.length > 0
        ? (classes.data?.items ?? []).map(({ value, events }): Counted => ({ value, count: events }))
        : (byClass?.series ?? []).map(({ value, total }): Counted => ({ value, count: total ?? 0 })),
  };
}
