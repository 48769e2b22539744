import type { Schemas } from '@operational-events/client';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
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

interface FacetsOptions {
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
 * present one. The service leaves out an exact filter itself, but a facet with a clause needs a request of its own.
 */
export function useFacets({ projectId, window, search, paths, byClass, refetchInterval }: FacetsOptions) {
  const shared = { placeholderData: keepPreviousData, refetchInterval } as const;
  const counted = useQuery({ ...facets(projectId, window, narrowedOf(search), paths), ...shared });
  const chosen = [...EVENT_FILTERS, ...paths].flatMap((name) => {
    const { isInWhere, rest } = choiceOf(search, fieldOf(name));
    return isInWhere ? [{ name, rest }] : [];
  });
  // A facet shows its last values until the next ones are read. Queries in a list do not keep the data before.
  const last = useRef(new Map<string, typeof counted.data>());
  const others = useQueries({
    queries: chosen.map(({ name, rest }) => ({
      ...facets(projectId, window, narrowedOf(rest), name.startsWith('properties.') ? [name] : []),
      refetchInterval,
      placeholderData: () => last.current.get(name),
    })),
  });
  useEffect(() => {
    for (const name of [...EVENT_FILTERS, ...paths]) {
      const at = chosen.findIndex((each) => each.name === name);
      const answer = at < 0 ? counted.data : others[at]?.data;
      if (answer !== undefined) last.current.set(name, answer);
    }
  });
  const ofClass = choiceOf(search, CLASS);
  const classes = useQuery({
    ...breakdown(projectId, window, narrowedOf(ofClass.rest), CLASS),
    ...shared,
    enabled: ofClass.isInWhere,
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
      ofClass.isInWhere && classes.data !== undefined
        ? classes.data.items.map(({ value, events }): Counted => ({ value, count: events }))
        : (byClass?.series ?? []).map(({ value, total }): Counted => ({ value, count: total ?? 0 })),
  };
}
