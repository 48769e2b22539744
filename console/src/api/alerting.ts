import type { Schemas } from '@operational-events/client';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { AlertFilters, FindingSearch } from '../routes/alerting.js';
import { api } from './client.js';
import { offsetAfter } from './pages.js';
import { type ReadAt, withReadAt } from './read-at.js';

const POLL_MS = 30_000;
const PAGE = 100;
const SAMPLES = 6;
const NEWEST_ALERTS = 5;
/** Only this many alerts are read, because every page is refetched when something changes. Filters find older ones. */
const MOST_ALERTS = 500;

/** The key of everything that the alerting pages read of a project. */
const alertingOf = (project_id: string) => ['project', project_id, 'alerting'] as const;

export const alertRules = (project_id: string) =>
  queryOptions({
    queryKey: [...alertingOf(project_id), 'rules'],
    queryFn: ({ signal }) => api.listAlertRules({ query: { project_id } }, { signal }),
    refetchInterval: POLL_MS,
  });

export const alertRule = (project_id: string, rule_id: string) =>
  queryOptions({
    queryKey: [...alertingOf(project_id), 'rules', rule_id],
    queryFn: ({ signal }) => api.getAlertRule({ path: { rule_id } }, { signal }),
  });

/** Runs a rule over the past, whether it is stored or not. */
export const rulePreview = (project_id: string, rule: RuleToPreview, from_ts: string, to_ts: string) =>
  queryOptions({
    queryKey: [...alertingOf(project_id), 'preview', rule, from_ts, to_ts],
    queryFn: async ({ signal }) => {
      const body = { ...rule, project_id, preview: true, from_ts, to_ts };
      // With `preview`, the answer is never a stored rule.
      return (await api.createAlertRule({ body }, { signal })) as Schemas['AlertRulePreviewResponse'];
    },
    staleTime: 'static',
  });

export type RuleToPreview = Omit<
  Schemas['CreateAlertRuleRequest'],
  'project_id' | 'preview' | 'from_ts' | 'to_ts' | 'is_enabled'
>;

export interface MeasuredSeries {
  readonly from_ts: string;
  readonly to_ts: string;
  readonly interval: Schemas['AskedSeriesInterval'];
  /** One series is read for each. */
  readonly aggregates: readonly Schemas['Aggregate'][];
  readonly aggregate_field?: string | undefined;
  /** A condition in EQL. */
  readonly where?: string | undefined;
}

export const measuredSeries = (project_id: string, { aggregates, ...window }: MeasuredSeries) =>
  queryOptions({
    queryKey: [...alertingOf(project_id), 'series', aggregates, window],
    queryFn: async ({ signal }) => {
      const answers: ReadAt<Schemas['TimeseriesResponse']>[] = [];
      // One after another: the service answers one aggregating query of a project at a time.
      for (const aggregate of aggregates)
        answers.push(
          await withReadAt(api.getAnalyticsTimeseries({ query: { project_id, aggregate, ...window } }, { signal })),
        );
      return answers;
    },
    staleTime: 60_000,
  });

export const alertEvents = (project_id: string, { status, severity, rule, assignee, q }: AlertFilters) =>
  infiniteQueryOptions({
    queryKey: [...alertingOf(project_id), 'events', 'list', { status, severity, rule, assignee, q }],
    queryFn: ({ signal, pageParam }) =>
      api.listAlertEvents(
        {
          query: {
            project_id,
            range: 'all',
            status: status === 'all' ? undefined : (status ?? 'open'),
            severity,
            alert_rule_id: rule,
            assignee_id: assignee,
            query: q,
            limit: PAGE,
            offset: pageParam,
          },
        },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: (page) => {
      const next = offsetAfter(page);
      return next === undefined || next >= MOST_ALERTS ? undefined : next;
    },
    placeholderData: keepPreviousData,
  });

/** The first alerts of the list above, for a summary. */
export const newestOpenAlerts = (project_id: string) =>
  queryOptions({
    queryKey: [...alertEventsKey(project_id), 'newest open'],
    queryFn: async ({ signal }) => {
      const query = { project_id, range: 'all', status: 'open', limit: NEWEST_ALERTS } as const;
      return (await api.listAlertEvents({ query }, { signal })).items;
    },
    refetchInterval: POLL_MS,
  });

export const alertEvent = (project_id: string, alert_event_id: string) =>
  queryOptions({
    queryKey: [...alertingOf(project_id), 'events', 'one', alert_event_id],
    queryFn: ({ signal }) => api.getAlertEvent({ path: { alert_event_id } }, { signal }),
  });

export const alertTimeline = (project_id: string, alert_event_id: string) =>
  queryOptions({
    queryKey: [...alertingOf(project_id), 'events', 'timeline', alert_event_id],
    queryFn: ({ signal }) => api.listAlertEventTimeline({ path: { alert_event_id } }, { signal }),
  });

/** The newest events of an alert. */
export const sampleEvents = (
  project_id: string,
  { from, to }: { readonly from: string; readonly to: string },
  filter: { readonly where?: string | undefined; readonly event?: string | undefined },
) =>
  queryOptions({
    queryKey: [...alertingOf(project_id), 'samples', from, to, filter],
    queryFn: ({ signal }) =>
      api.listProjectEvents(
        { path: { project_id }, query: { ...filter, from_ts: from, to_ts: to, limit: SAMPLES } },
        { signal },
      ),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });

/** The alerts of the same rule and group that began before this one. */
export const alertsOfSeries = (project_id: string, { id, fingerprint, created_at }: Schemas['AlertEventResponse']) =>
  queryOptions({
    queryKey: [...alertingOf(project_id), 'events', 'series', id],
    queryFn: ({ signal }) =>
      api.listAlertEvents(
        { query: { project_id, fingerprint, range: 'all', to_ts: created_at, limit: SAMPLES } },
        { signal },
      ),
  });

export const alertMetrics = (project_id: string) =>
  queryOptions({
    queryKey: [...alertingOf(project_id), 'events', 'metrics'],
    queryFn: ({ signal }) => api.getAlertMetrics({ query: { project_id, range: '30d' } }, { signal }),
  });

export const alertSummary = (project_id: string) =>
  queryOptions({
    queryKey: [...alertingOf(project_id), 'events', 'summary'],
    queryFn: ({ signal }) => api.getAlertSummary({ query: { project_id, range: 'all' } }, { signal }),
  });

/** The key of everything that depends on alert events. */
export const alertEventsKey = (project_id: string) => [...alertingOf(project_id), 'events'] as const;

export const silences = (project_id: string, state?: Schemas['AlertSilenceState']) =>
  queryOptions({
    queryKey: [...alertingOf(project_id), 'silences', state],
    queryFn: ({ signal }) => api.listAlertSilences({ query: { project_id, state } }, { signal }),
    refetchInterval: POLL_MS,
  });

export const silencesKey = (project_id: string) => [...alertingOf(project_id), 'silences'] as const;

export const findings = (project_id: string, { status, kind, severity }: FindingSearch) =>
  infiniteQueryOptions({
    queryKey: [...alertingOf(project_id), 'sentinel', 'list', { status, kind, severity }],
    queryFn: ({ signal, pageParam }) =>
      api.listFindings(
        {
          query: {
            project_id,
            status: status && [status],
            kind: kind && [kind],
            severity: severity && [severity],
            limit: PAGE,
            offset: pageParam,
          },
        },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: offsetAfter,
    placeholderData: keepPreviousData,
    // A person who reads older pages is not interrupted: each of the pages would be fetched again.
    refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : 60_000),
  });

export const finding = (project_id: string, finding_id: string) =>
  queryOptions({
    queryKey: [...alertingOf(project_id), 'sentinel', 'one', finding_id],
    queryFn: ({ signal }) => api.getFinding({ path: { finding_id } }, { signal }),
  });

export const sentinelOverview = (project_id: string) =>
  queryOptions({
    queryKey: [...alertingOf(project_id), 'sentinel', 'overview'],
    queryFn: ({ signal }) => api.getSentinelOverview({ query: { project_id } }, { signal }),
    refetchInterval: 60_000,
  });

export const sentinelWorkers = (project_id: string) =>
  queryOptions({
    queryKey: [...alertingOf(project_id), 'sentinel', 'workers'],
    queryFn: ({ signal }) => api.listSentinelWorkers({ query: { project_id } }, { signal }),
    refetchInterval: 60_000,
  });

export const sentinelKey = (project_id: string) => [...alertingOf(project_id), 'sentinel'] as const;
