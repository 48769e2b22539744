import { Text } from '@mantine/core';
import { useState } from 'react';
import { analyticsSeries, eqlAnswer, filtersOf, needsField, newestEvents, type Window } from '../../api/insight.js';
import { useAnswer } from '../../parts/answers.js';
import { exactOf } from '../../parts/chart/units.js';
import { allOf, clausesOf, hasText, narrowedQuery } from '../../parts/conditions.js';
import { Failure } from '../../parts/failures.js';
import { numbered, whole } from '../../parts/numbers.js';
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
import type { PartProps } from '../performance/part-props.js';
import { narrowed, type Question } from './content.js';

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
export function Answer({ question: given, clauses, ...around }: AnswerProps) {
  const { window } = useTimeRange();
  const shared = { ...around, window };
  const question = narrowed(given, clauses);
  switch (question.kind) {
    case 'analysis':
      return <Analysis {...shared} search={question.search} />;
    case 'figure':
      return <SingleFigure {...shared} search={question.search} />;
    case 'query': {
      const { q = '' } = question.search;
      return <QueryAnswer {...shared} query={q} isNarrowed={narrowedQuery(q, clauses) !== undefined} />;
    }
    case 'performance':
      return <Performance {...shared} part={question.part} search={question.search} />;
    case 'logs':
      return <NewestEvents {...shared} search={question.search} />;
  }
}

interface Shared {
  readonly projectId: string;
  readonly window: Window;
  readonly onShow: AnswerProps['onShow'];
}

type AnswerOf<Search> = Shared & { readonly search: Search };

const NO_NAMES: readonly string[] = [];

function Analysis({ projectId, window, search }: AnswerOf<AnalyticsSearch>) {
  const props: QuestionProps = {
    projectId,
    window,
    narrowed: { event: search.event, where: search.where },
    search,
    // Only the controls change a question.
    set: () => undefined,
    fields: NO_NAMES,
    eventTypes: NO_NAMES,
    isBare: true,
  };
  switch (search.ask) {
    case 'breakdown':
      return <Breakdown {...props} />;
    case 'funnel':
      return <Funnel {...props} />;
    default:
      return <SeriesOverTime {...props} />;
  }
}

function SingleFigure({ projectId, window, search }: AnswerOf<AnalyticsSearch>) {
  const { zone } = useTimeRange();
  const { aggregate = 'count', field, event, where } = search;
  const takenField = needsField(aggregate) ? field : undefined;
  const { data, error } = useAnswer(
    analyticsSeries(
      projectId,
      window,
      { event, where },
      { aggregate, aggregate_field: takenField, timezone: zone, compare: 'previous' },
    ),
  );
  if (needsField(aggregate) && field === undefined) return <Text c="dimmed">Its question names no field.</Text>;
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

interface QueryProps extends Shared {
  readonly query: string;
  /** Whether the query has the conditions of the variables. */
  readonly isNarrowed: boolean;
}

function QueryAnswer({ projectId, window, onShow, query, isNarrowed }: QueryProps) {
  const { data, error, isFetching } = useAnswer(eqlAnswer(projectId, query, window));
  return (
    <>
      {!isNarrowed && (
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

interface PerformanceProps extends AnswerOf<PerformanceSearch> {
  readonly part: (Question & { readonly kind: 'performance' })['part'];
}

function Performance({ projectId, window, onShow, part, search }: PerformanceProps) {
  // Sorting and paging are for the reader alone. Another question begins at its first page.
  const [sort, setSort] = useState(search.sort);
  const [paged, setPaged] = useState<{ readonly of: string; readonly page: string | undefined }>();
  const key = JSON.stringify([search.where, window, sort]);
  const shared: PartProps = {
    projectId,
    window,
    search: { ...search, sort, page: paged?.of === key ? paged.page : undefined, shown: undefined },
    set: (change) => {
      if (change.shown !== undefined) onShow(change.shown);
      else if ('sort' in change) setSort(change.sort);
      else setPaged({ of: key, page: change.page });
    },
    isBare: true,
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

function NewestEvents({ projectId, window, onShow, search }: AnswerOf<LogsSearch>) {
  const text = search.q === undefined ? [] : [hasText(search.q)];
  const query = { ...filtersOf(search), where: allOf([...clausesOf(search.where), ...text]) };
  const { data, error, isPending } = useAnswer(newestEvents(projectId, window, query, MAX_ROWS));
  if (isPending) return <PendingPage />;
  return (
    <>
      <Failure error={error} />
      {data !== undefined && (
        <>
          <Text size="sm" c="dimmed" role="status" className="numbers">
            {data.items.length < data.total
              ? `The newest ${whole(data.items.length)} of ${whole(data.total)} events`
              : numbered(data.total, 'event')}
          </Text>
          {data.items.length > 0 && <EventList events={data.items} onShow={({ id }) => onShow(id)} />}
        </>
      )}
    </>
  );
}
