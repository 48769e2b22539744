import type { Schemas } from '@operational-events/client';
import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { allOf, isValue } from '../parts/conditions.js';
import { api } from './client.js';
import { PAGE_ROWS } from './pages.js';
import { withReadAt } from './read-at.js';

/** A time window: a range that ends now, or two times. */
export interface Window {
  readonly range?: Schemas['Range'] | undefined;
  /** ISO 8601. Either both or none are set. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Returns the window as the API takes it. The default is the last day. */
export function windowOf({ range, from, to }: Window) {
  return from !== undefined && to !== undefined ? { from_ts: from, to_ts: to } : { range: range ?? '24h' };
}

/** Exact values of events. An undefined member matches every value. */
export interface EventFilters {
  readonly event?: string | undefined;
  readonly source_id?: string | undefined;
  readonly severity?: string | undefined;
  readonly status?: string | undefined;
  readonly environment?: string | undefined;
}

export const EVENT_FILTERS = ['event', 'source_id', 'severity', 'status', 'environment'] as const;

/** Returns the members that are set. */
export function given<T extends object>(values: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== '')) as {
    [Name in keyof T]: Exclude<T[Name], undefined>;
  };
}

export function filtersOf(search: EventFilters): EventFilters {
  return Object.fromEntries(EVENT_FILTERS.map((name) => [name, search[name]]));
}

/*
 * Runs aggregating queries one after another: the service answers one at a time for a project and lets others wait for
 * two seconds. Pages of events and facets do not wait, though the service limits those with a condition too.
 */
let lastRead: Promise<unknown> = Promise.resolve();
function oneAtATime<T>(signal: AbortSignal, read: () => Promise<T>): Promise<T> {
  const next = lastRead.then(() => {
    signal.throwIfAborted();
    return read();
  });
  lastRead = next.catch(() => undefined);
  return next;
}

const of = (project_id: string, ...rest: readonly unknown[]) => ['project', project_id, ...rest] as const;

/** Rows of a page of the logs, and rows that a live list begins with. */
const LOG_PAGE_ROWS = 200;
const MAX_LIVE_ROWS = 2_000;
/** A live list and the work beside it stay within the rate limits of a person. */
const LIVE_INTERVAL_MS = 6_000;

/** An event and its log row. The log row is undefined when the event was deleted between the two reads. */
export interface LogEntry {
  readonly id: string;
  readonly event: Schemas['EventRecord'];
  readonly log: Schemas['LogRow'] | undefined;
}

/** Filters of events. */
export interface Narrowed extends EventFilters {
  /** A condition in EQL. */
  readonly where?: string | undefined;
}

/** The position of a page: its rows follow `before`. The offset skips rows of the same instant. */
interface Place {
  readonly offset: number;
  readonly before?: string;
  readonly from_ts?: string;
  readonly to_ts?: string;
}

const FIRST_PLACE: Place = { offset: 0 };

/** Returns all filters as one condition, since log rows have no other filters. */
function conditionOf({ where, ...filters }: Narrowed): string | undefined {
  const exact = Object.entries<string | undefined>({ ...filters }).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [isValue(name, value)],
  );
  return allOf([...exact, ...(where === undefined ? [] : [where])]);
}

/**
 * Reads the log rows of consecutive events. An answer of the service ends early when its rows are large, and may have
 * rows of events that were stored after the events were read.
 */
async function logRows(
  query: {
    project_id: string;
    from_ts: string;
    to_ts: string;
    before?: string | undefined;
    where?: string | undefined;
  },
  events: readonly Schemas['EventRecord'][],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Schemas['LogRow']>> {
  const rows = new Map<string, Schemas['LogRow']>();
  const missing = new Set(events.map(({ id }) => id));
  const oldest = Date.parse(events.at(-1)?.timestamp ?? query.to_ts);
  let { before } = query;
  while (missing.size > 0) {
    const part = await api.listLogs({ query: { ...given({ ...query, before }), limit: missing.size } }, { signal });
    for (const row of part) {
      rows.set(row.id, row);
      missing.delete(row.id);
    }
    const last = part.at(-1);
    if (last === undefined || Date.parse(last.timestamp) < oldest) break;
    before = last.id;
  }
  return rows;
}

async function logPage(
  project_id: string,
  window: Window,
  query: Narrowed,
  place: Place,
  known: ReadonlyMap<string, LogEntry>,
  signal: AbortSignal,
) {
  const { offset, before, ...fixed } = place;
  const page = await api.listProjectEvents(
    {
      path: { project_id },
      query: {
        ...given(query),
        ...(fixed.to_ts === undefined ? windowOf(window) : fixed),
        offset,
        limit: LOG_PAGE_ROWS,
      },
    },
    { signal },
  );
  const { items, from_ts, to_ts, total, has_more } = page;
  const unknown = items.slice(0, items.findLastIndex(({ id }) => known.get(id)?.log === undefined) + 1);
  const logs = await logRows({ project_id, from_ts, to_ts, before, where: conditionOf(query) }, unknown, signal);
  const rows = items.map((event): LogEntry => {
    const { id } = event;
    return { id, event, log: logs.get(id) ?? known.get(id)?.log };
  });
  return { rows, from_ts, to_ts, total, has_more };
}

type LogPage = Awaited<ReturnType<typeof logPage>>;

/** Returns the rows that stay when a page of the newest rows is read again: none when rows between may be missing. */
function olderRows({ rows, from_ts }: LogPage, before: readonly LogEntry[]): LogEntry[] {
  const ids = new Set(rows.map(({ id }) => id));
  if (!before.some(({ id }) => ids.has(id))) return [];
  const begin = Date.parse(from_ts);
  return before.filter(({ id, event }) => !ids.has(id) && Date.parse(event.timestamp) >= begin);
}

interface LogList extends InfiniteData<LogPage, Place> {
  /** Whether the pages after the first one are read again. */
  readonly isOld?: boolean;
}

/**
 * Returns a page of the logs that needs no request. When the list is read again, only its first page is: it gains what
 * is new, and the pages after it stay. When too much is new for one page, or when they are old, they become empty and
 * are read again when somebody comes to them.
 */
function keptPage(
  { pages, pageParams, isOld = false }: LogList,
  first: LogPage,
  { before, from_ts = '' }: Place,
): LogPage {
  const at = pageParams.findIndex((each, index) => each.before === before && pages[index]?.rows.length !== 0);
  const page = isOld ? undefined : pages[at];
  if (page === undefined) return { ...first, rows: [], from_ts, has_more: true };
  const rows = page.rows.filter(({ event }) => Date.parse(event.timestamp) >= Date.parse(from_ts));
  return { ...page, from_ts, rows, has_more: page.has_more && rows.length === page.rows.length };
}

/** Tells whether events of a fixed time have come that are not among its newest. */
function hasLateRows({ rows, total }: LogPage, first: LogPage | undefined): boolean {
  const known = new Set(first?.rows.map(({ id }) => id));
  return first !== undefined && total - first.total !== rows.filter(({ id }) => !known.has(id)).length;
}

/** Events of a window, newest first. Each page continues after the last row of the page before. */
export const logPages = (project_id: string, window: Window, query: Narrowed) =>
  infiniteQueryOptions({
    queryKey: of(project_id, 'logs', window, query),
    initialPageParam: FIRST_PLACE,
    queryFn: async ({ signal, pageParam, client, queryKey }): Promise<LogPage> => {
      const state = client.getQueryState<LogList>(queryKey);
      const list = state?.data;
      const [first] = list?.pages ?? [];
      const isNext = state?.fetchMeta?.fetchMore !== undefined;
      const isFirst = pageParam.before === undefined;
      if (list !== undefined && first !== undefined && !isFirst && !isNext) return keptPage(list, first, pageParam);
      const before = (isFirst ? first?.rows : undefined) ?? [];
      const known = new Map(before.map((row) => [row.id, row]));
      const page = await logPage(project_id, window, query, pageParam, known, signal);
      if (!page.has_more || list === undefined || list.isOld === true) return page;
      if (isFirst && window.from !== undefined && hasLateRows(page, first)) {
        client.setQueryData<LogList>(queryKey, { ...list, isOld: true });
        return page;
      }
      return { ...page, rows: [...page.rows, ...olderRows(page, before)] };
    },
    meta: { isOfPages: true },
    getNextPageParam: (page, pages): Place | undefined => {
      const all = pages.flatMap(({ rows }) => rows);
      const last = all.at(-1);
      if (!page.has_more || last === undefined) return undefined;
      const { timestamp } = last.event;
      const instant = all.filter(({ event }) => event.timestamp === timestamp);
      // The end of a window is exclusive.
      const to_ts = new Date(Date.parse(timestamp) + 1).toISOString();
      return { offset: instant.length, before: last.id, from_ts: page.from_ts, to_ts };
    },
    // The list stays still while somebody looks elsewhere.
    refetchOnWindowFocus: false,
  });

/** The newest events, read again every few seconds. Rows stay while newer ones come, up to a limit. */
export const liveLogs = (project_id: string, window: Window, query: Narrowed) =>
  queryOptions({
    queryKey: of(project_id, 'logs', 'live', window, query),
    queryFn: async ({ signal, client, queryKey }): Promise<LogPage> => {
      const before = client.getQueryData<LogPage>(queryKey)?.rows ?? [];
      const known = new Map(before.map((row) => [row.id, row]));
      const page = await logPage(project_id, window, query, FIRST_PLACE, known, signal);
      return { ...page, rows: [...page.rows, ...olderRows(page, before)].slice(0, MAX_LIVE_ROWS) };
    },
    refetchInterval: LIVE_INTERVAL_MS,
  });

/** @param by properties whose values are also counted */
export const facets = (project_id: string, window: Window, query: Narrowed, by: readonly string[]) =>
  queryOptions({
    queryKey: of(project_id, 'facets', window, query, by),
    queryFn: ({ signal }) =>
      api.getProjectEventFacets(
        {
          path: { project_id },
          query: { ...given(query), ...windowOf(window), ...(by.length > 0 && { by: [...by] }) },
        },
        { signal },
      ),
    // Facets describe the events next to them, which are not refetched either.
    refetchOnWindowFocus: false,
  });

export const oneEvent = (project_id: string, event_id: string) =>
  queryOptions({
    queryKey: of(project_id, 'event', event_id),
    queryFn: ({ signal }) => api.getProjectEvent({ path: { project_id, event_id } }, { signal }),
    enabled: event_id !== '',
  });

/** The newest events of a window and their number. */
export const newestEvents = (project_id: string, window: Window, query: Narrowed, limit: number) =>
  queryOptions({
    queryKey: of(project_id, 'newest-events', window, query, limit),
    // With a condition the service limits it like an aggregating query.
    queryFn: ({ signal }) =>
      oneAtATime(signal, () =>
        api.listProjectEvents(
          { path: { project_id }, query: { ...given(query), ...windowOf(window), limit } },
          { signal },
        ),
      ),
  });

/** Saved views of every kind. */
export const allSavedViews = (project_id: string) =>
  queryOptions({
    queryKey: of(project_id, 'saved-views', 'all'),
    queryFn: ({ signal }) => api.listSavedViews({ path: { project_id } }, { signal }),
  });

export const eqlLanguage = (project_id: string) =>
  queryOptions({
    queryKey: of(project_id, 'eql', 'language'),
    queryFn: ({ signal }) => api.getEqlLanguage({ query: { project_id } }, { signal }),
    staleTime: 300_000,
  });

export const eqlAnswer = (project_id: string, query: string, window: Window) =>
  queryOptions({
    queryKey: of(project_id, 'eql', 'answer', query, window),
    queryFn: ({ signal }) =>
      oneAtATime(signal, () =>
        api.runEqlQuery({ body: { project_id, query, limit: 200, ...windowOf(window) } }, { signal }),
      ),
    enabled: query !== '',
    // The result stays until somebody runs the query again, or the page reads its range again.
    meta: { isOfRange: true },
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });

export const analyticsOverview = (project_id: string, window: Window, narrowed: Narrowed) =>
  queryOptions({
    queryKey: of(project_id, 'analytics', 'overview', window, narrowed),
    queryFn: ({ signal }) =>
      oneAtATime(signal, () =>
        api.getAnalyticsOverview({ query: { project_id, ...given(narrowed), ...windowOf(window) } }, { signal }),
      ),
  });

export interface SeriesQuestion {
  readonly aggregate: Schemas['Aggregate'];
  readonly aggregate_field?: string | undefined;
  readonly split_by?: string | undefined;
  readonly interval?: Schemas['AskedSeriesInterval'] | undefined;
  readonly timezone?: string | undefined;
  readonly compare?: Schemas['Comparison'] | undefined;
}

export const analyticsSeries = (project_id: string, window: Window, narrowed: Narrowed, params: SeriesQuestion) =>
  queryOptions({
    queryKey: of(project_id, 'analytics', 'series', window, narrowed, params),
    queryFn: ({ signal }) =>
      oneAtATime(signal, () =>
        withReadAt(
          api.getAnalyticsTimeseries(
            { query: { project_id, ...given(narrowed), ...windowOf(window), ...given(params) } },
            { signal },
          ),
        ),
      ),
    enabled: !needsField(params.aggregate) || params.aggregate_field !== undefined,
  });

/** The most events of one list of patterns that are marked on one time axis, the newest first. */
export const MAX_ANNOTATIONS = 50;
/** A condition has at most 2,000 characters. */
const MAX_LIST_CHARACTERS = 1_900;

/** Returns lists of texts in EQL, each of which fits into a condition. */
function listsOf(texts: readonly string[]): string[] {
  const lists: string[] = [];
  for (const text of texts.map((each) => JSON.stringify(each))) {
    const last = lists.at(-1);
    if (last === undefined || last.length + text.length > MAX_LIST_CHARACTERS) lists.push(text);
    else lists[lists.length - 1] = `${last}, ${text}`;
  }
  return lists;
}

/** Returns the condition for the events of patterns. Undefined: it would be too long. */
export function markedEvents(patterns: readonly string[]): string | undefined {
  const lists = listsOf(patterns);
  return lists.length === 1 ? `event like (${lists[0]})` : undefined;
}

/** The events between two Unix times in seconds that are marked on time axes. @param patterns with `*` for any text */
export const annotations = (project_id: string, patterns: readonly string[], from: number, to: number) =>
  queryOptions({
    queryKey: of(project_id, 'annotations', patterns, from, to),
    queryFn: async ({ signal }) => {
      const window = { from_ts: new Date(from * 1000).toISOString(), to_ts: new Date(to * 1000).toISOString() };
      const events = new Map<string, Schemas['EventRecord']>();
      for (const list of listsOf(patterns)) {
        const query = { where: `event like (${list})`, ...window, limit: MAX_ANNOTATIONS };
        // With a condition the service limits it like an aggregating query.
        const { items } = await oneAtATime(signal, () =>
          api.listProjectEvents({ path: { project_id }, query }, { signal }),
        );
        for (const item of items) events.set(item.id, item);
      }
      return [...events.values()];
    },
    enabled: project_id !== '' && patterns.length > 0 && to > from,
    // Parts of a page that come one after another share the answer.
    staleTime: 30_000,
    meta: { isOfRange: true },
  });

/** Every aggregate except counts needs a field. */
export function needsField(aggregate: Schemas['Aggregate']): boolean {
  return !['count', 'errors', 'error_rate'].includes(aggregate);
}

export const breakdown = (project_id: string, window: Window, narrowed: Narrowed, by: string) =>
  queryOptions({
    queryKey: of(project_id, 'analytics', 'breakdown', window, narrowed, by),
    queryFn: ({ signal }) =>
      oneAtATime(signal, () =>
        api.getAnalyticsBreakdown(
          { query: { project_id, ...given(narrowed), ...windowOf(window), by, limit: 50 } },
          { signal },
        ),
      ),
  });

export interface FunnelQuestion {
  readonly steps: readonly string[];
  readonly by: string;
  readonly within_seconds?: number | undefined;
}

export const funnel = (project_id: string, window: Window, narrowed: Narrowed, params: FunnelQuestion) =>
  queryOptions({
    queryKey: of(project_id, 'analytics', 'funnel', window, narrowed, params),
    queryFn: ({ signal }) => {
      const { steps, ...rest } = params;
      return oneAtATime(signal, () =>
        api.getAnalyticsFunnel(
          { query: { project_id, ...given(narrowed), ...windowOf(window), ...given(rest), step: [...steps] } },
          { signal },
        ),
      );
    },
    enabled: params.steps.length > 1 && params.by !== '',
  });

export interface Requests {
  readonly method?: string | undefined;
  readonly endpoint?: string | undefined;
  /** Leaves out events that name no method. */
  readonly requests_only?: boolean | undefined;
  /** A condition in EQL. */
  readonly where?: string | undefined;
}

export const performanceSummary = (project_id: string, window: Window, requests: Requests, apdex_ms: number) =>
  queryOptions({
    queryKey: of(project_id, 'performance', 'summary', window, requests, apdex_ms),
    queryFn: ({ signal }) =>
      oneAtATime(signal, () =>
        api.getPerformanceSummary(
          { query: { project_id, ...given(requests), ...windowOf(window), apdex_ms } },
          { signal },
        ),
      ),
  });

/** @param timezone whose days are meant */
export const performanceSeries = (project_id: string, window: Window, requests: Requests, timezone: string) =>
  queryOptions({
    queryKey: of(project_id, 'performance', 'series', window, requests, timezone),
    queryFn: ({ signal }) =>
      oneAtATime(signal, () =>
        withReadAt(
          api.getPerformanceTimeseries(
            { query: { project_id, ...given(requests), ...windowOf(window), timezone } },
            { signal },
          ),
        ),
      ),
  });

export interface EndpointsQuestion {
  readonly sort: Schemas['EndpointOrder'];
  readonly group_by: 'endpoint' | 'route';
  readonly offset: number;
}

export const endpoints = (project_id: string, window: Window, requests: Requests, params: EndpointsQuestion) =>
  queryOptions({
    queryKey: of(project_id, 'performance', 'endpoints', window, requests, params),
    queryFn: ({ signal }) =>
      oneAtATime(signal, () =>
        api.listPerformanceEndpoints(
          { query: { project_id, ...given(requests), ...windowOf(window), ...params, limit: PAGE_ROWS } },
          { signal },
        ),
      ),
  });

export const slowest = (project_id: string, window: Window, requests: Requests, limit: number) =>
  queryOptions({
    queryKey: of(project_id, 'performance', 'slowest', window, requests, limit),
    queryFn: ({ signal }) =>
      oneAtATime(signal, () =>
        api.listSlowestRequests({ query: { project_id, ...given(requests), ...windowOf(window), limit } }, { signal }),
      ),
  });

export const failures = (project_id: string, window: Window, requests: Requests) =>
  queryOptions({
    queryKey: of(project_id, 'performance', 'failures', window, requests),
    queryFn: ({ signal }) =>
      oneAtATime(signal, () =>
        api.getPerformanceErrors(
          { query: { project_id, ...given(requests), ...windowOf(window), limit: 100 } },
          { signal },
        ),
      ),
  });
