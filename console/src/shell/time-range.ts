import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Window } from '../api/insight.js';
import { projectSettings } from '../api/owning.js';
import { LOCAL_ZONE } from '../parts/zone.js';
import type { TimeSearch } from '../routes/time-search.js';
import { useCurrentProject } from './current-project.js';

const route = getRouteApi('/signed-in/o/$organization/p/$project');

/** The time range of the project, which the address keeps from page to page. */
export interface TimeRange {
  /** A range or two times. Without any in the address: the default range of the project's settings. */
  readonly window: Window;
  /** The IANA name of the time zone in which pages show times. */
  readonly zone: string;
  readonly zoneChoice: TimeSearch['zone'];
  readonly projectZone: string;
  /** Seconds between two reads of what a page shows. Undefined: off. */
  readonly refresh: number | undefined;
  readonly setWindow: (window: Window) => void;
  readonly setZone: (zone: TimeSearch['zone']) => void;
  readonly setRefresh: (refresh: TimeSearch['refresh']) => void;
  /** Sets two times, in Unix seconds, as a chart gives them. The same function in every render. */
  readonly zoom: (from: number, to: number) => void;
  /**
   * Reads again what the page shows, and begins long lists with their first page. `old` keeps the pages of lists, and
   * leaves out answers that are still new enough.
   */
  readonly readAgain: (which: 'all' | 'old') => void;
}

export function useTimeRange(): TimeRange {
  const { project } = useCurrentProject();
  const { range, from, to, zone: zoneChoice, refresh } = route.useSearch();
  const { data: settings } = useSuspenseQuery(projectSettings(project.id));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { timezone: projectZone, default_range } = settings;
  const set = useCallback(
    (change: TimeSearch) => void navigate({ to: '.', search: (before: TimeSearch) => ({ ...before, ...change }) }),
    [navigate],
  );
  const window = useMemo(
    (): Window => (from !== undefined && to !== undefined ? { from, to } : { range: range ?? default_range }),
    [range, from, to, default_range],
  );
  const setWindow = useCallback(
    ({ range: next, from: first, to: last }: Window) =>
      set({ range: next === default_range ? undefined : next, from: first, to: last }),
    [set, default_range],
  );
  return {
    window,
    zone: zoneChoice === 'utc' ? 'UTC' : zoneChoice === 'local' ? LOCAL_ZONE : projectZone,
    zoneChoice,
    projectZone,
    refresh: refresh === undefined ? undefined : Number(refresh),
    setWindow,
    setZone: useCallback((zone) => set({ zone }), [set]),
    setRefresh: useCallback((next) => set({ refresh: next }), [set]),
    zoom: useCallback(
      (first, last) =>
        setWindow({ from: new Date(first * 1000).toISOString(), to: new Date(last * 1000).toISOString() }),
      [setWindow],
    ),
    readAgain: useCallback(
      (which) => {
        const ofProject = { queryKey: ['project', project.id], type: 'active' } as const;
        if (which === 'all') {
          // Answers that are out of view are read when they come into view.
          void queries.invalidateQueries({ queryKey: ofProject.queryKey, refetchType: 'none' });
          queries.setQueriesData<object>(
            { ...ofProject, predicate: ({ meta }) => meta?.isOfPages === true },
            (list) => list && { ...list, isOld: true },
            { updatedAt: 0 },
          );
        }
        void queries.refetchQueries(
          {
            ...ofProject,
            // An answer that is kept until somebody asks again is asked for here.
            predicate: (query) => which === 'all' || query.isStale() || query.meta?.isOfRange === true,
          },
          // A read that takes longer than the interval goes on, and no second one starts.
          { cancelRefetch: false },
        );
      },
      [queries, project.id],
    ),
  };
}
