import { Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { analyticsSeries, eqlAnswer, filtersOf, needsField, newestEvents, type Window } from '../../api/insight.js';
import { exactOf } from '../../parts/chart/units.js';
import { allOf, clausesOf, hasText, narrowedQuery } from '../../parts/conditions.js';
import { Failure } from '../../parts/failures.js';
import { whole } from '../../parts/numbers.js';
import type { AnalyticsSearch, PerformanceSearch } from '../../routes/insight.js';
import type { LogsSearch } from '../../routes/logs-search.js';
import { PendingPage } from '../../shell/around-pages.js';
import { useTimeRange } from '../../shell/time-range.js';
import type { QuestionProps } from '../analytics/analytics.js';
import { Breakdown } from '../analytics/breakdown.js';
import { Funnel } from '../analytics/funnel.js';
import { labelOf, SeriesOverTime, unitOf } from '../analytics/series-over-time.js';
import { Results } from '../eql/results.js';
import { EventList } from '../insight/event-list.js';
import { EndpointRows } from '../performance/endpoint-rows.js';
import { FailureRows } from '../performance/failure-rows.js';
import { Figures } from '../performance/figures.js';
import { OverTime } from '../performance/over-time.js';
import { SlowestRows } from '../performance/slowest-rows.js';
import type { PartProps } from '../performance/asked.js';
import type { Question } from './content.js';

interface AnswerProps {
  readonly projectId: string;
  readonly question: Question;
  /** Conditions in EQL, from the variables. */
  readonly clauses: readonly string[];
  /** Opens the details of an event. */
  readonly onShow: (eventId: string) => void;
}

/** The rows that a list in a panel has at most. */
const MAX_ROWS = 50;

/** Shows the answer to the question of a panel, in the time range of the project. */
export function Answer({ question, clauses, ...shared }: AnswerProps) {
  const { window } = useTimeRange();
  const narrowed = { ...shared, window, clauses };
  switch (question.kind) {
    case 'analysis':
      return <Analysis {...narrowed} search={question.search} />;
    case 'figure':
      return <SingleFigure {...narrowed} search={question.search} />;
    case 'query':
      return <QueryAnswer {...narrowed} query={question.search.q ?? ''} />;
    case 'performance':
      return <Performance {...narrowed} part={question.part} search={question.search} />;
    case 'logs':
      return <NewestEvents {...narrowed} search={question.search} />;
  }
}

interface Shared {
  readonly projectId: string;
  readonly window: Window;
  readonly clauses: readonly string[];
  readonly onShow: AnswerProps['onShow'];
}

type Asked<Search> = Shared & { readonly search: Search };

function whereOf(where: string | undefined, clauses: readonly string[]): string | undefined {
  return allOf([...clausesOf(where), ...clauses]);
}

const NO_NAMES: readonly string[] = [];

function Analysis({ projectId, window, clauses, search }: Asked<AnalyticsSearch>) {
  const asked: QuestionProps = {
    projectId,
    window,
    narrowed: { event: search.event, where: whereOf(search.where, clauses) },
    search,
    // Only the controls change a question.
    set: () => undefined,
    fields: NO_NAMES,
    eventTypes: NO_NAMES,
    isBare: true,
  };
  switch (search.ask) {
    case 'breakdown':
      return <Breakdown {...asked} />;
    case 'funnel':
      return <Funnel {...asked} />;
    default:
      return <SeriesOverTime {...asked} />;
  }
}

function SingleFigure({ projectId, window, clauses, search }: Asked<AnalyticsSearch>) {
  const { zone } = useTimeRange();
  const { aggregate = 'count', field, event, where } = search;
  const takenField = needsField(aggregate) ? field : undefined;
  const { data, error, fetchStatus, isPending } = useQuery({
    ...analyticsSeries(
      projectId,
      window,
      { event, where: whereOf(where, clauses) },
      { aggregate, aggregate_field: takenField, timezone: zone, compare: 'previous' },
    ),
    placeholderData: keepPreviousData,
  });
  if (isPending && fetchStatus === 'idle') return <Text c="dimmed">Its question names no field.</Text>;
  const unit = unitOf(aggregate, takenField);
  const previous = data?.previous?.total;
  return (
    <>
      <Failure error={error} />
      <Text fz={38} fw={600} lh={1.2} className="numbers">
        {data === undefined ? '…' : exactOf(unit, data.series[0]?.total ?? null)}
      </Text>
      <Text size="sm" c="dimmed" className="numbers">
        {[labelOf(aggregate), takenField].filter(Boolean).join(' ')}
        {typeof previous === 'number' && `, ${exactOf(unit, previous)} in the previous period`}
      </Text>
    </>
  );
}

function QueryAnswer({ projectId, window, clauses, onShow, query }: Shared & { readonly query: string }) {
  const narrowed = narrowedQuery(query, clauses);
  const { data, error, isFetching } = useQuery(eqlAnswer(projectId, narrowed ?? query, window));
  return (
    <>
      {narrowed === undefined && (
        <Text size="xs" c="dimmed" role="note">
          Variables narrow queries for events only, so this one is not narrowed.
        </Text>
      )}
      <Failure error={error} />
      {isFetching && data === undefined && <PendingPage />}
      {data !== undefined && error === null && <Results answer={data} onShow={({ id }) => onShow(id)} />}
    </>
  );
}

interface PerformanceProps extends Asked<PerformanceSearch> {
  readonly part: (Question & { readonly kind: 'performance' })['part'];
}

function Performance({ projectId, window, clauses, onShow, part, search }: PerformanceProps) {
  // Sorting and paging are for the reader alone.
  const [own, setOwn] = useState<Partial<PerformanceSearch>>({});
  const shared: PartProps = {
    projectId,
    window,
    search: { ...search, ...own, where: whereOf(search.where, clauses), shown: undefined },
    set: ({ shown, ...change }) => {
      if (shown === undefined) setOwn((before) => ({ ...before, ...change }));
      else onShow(shown);
    },
  };
  switch (part) {
    case 'figures':
      return <Figures {...shared} />;
    case 'charts':
      return <OverTime {...shared} />;
    case 'names':
      return <EndpointRows {...shared} />;
    case 'slowest':
      return <SlowestRows {...shared} limit={MAX_ROWS} />;
    case 'failures':
      return <FailureRows {...shared} />;
  }
}

function NewestEvents({ projectId, window, clauses, onShow, search }: Asked<LogsSearch>) {
  const text = search.q === undefined ? [] : [hasText(search.q)];
  const query = { ...filtersOf(search), where: whereOf(search.where, [...text, ...clauses]) };
  const { data, error, isPending } = useQuery({
    ...newestEvents(projectId, window, query, MAX_ROWS),
    placeholderData: keepPreviousData,
  });
  if (isPending) return <PendingPage />;
  return (
    <>
      <Failure error={error} />
      {data !== undefined && (
        <>
          <Text size="sm" c="dimmed" role="status" className="numbers">
            {data.items.length < data.total
              ? `The newest ${whole(data.items.length)} of ${whole(data.total)} events`
              : `${whole(data.total)} ${data.total === 1 ? 'event' : 'events'}`}
          </Text>
          {data.items.length > 0 && <EventList events={data.items} onShow={({ id }) => onShow(id)} />}
        </>
      )}
    </>
  );
}
