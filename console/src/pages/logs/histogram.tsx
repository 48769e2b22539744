import type { Schemas } from '@operational-events/client';
import { useMemo } from 'react';
import type { ReadAt } from '../../api/read-at.js';
import { axisOf, type Series, TimeChart } from '../../parts/time-chart.js';
import { allOf, clausesOf, isValue } from '../../parts/conditions.js';
import { numbered } from '../../parts/numbers.js';
import type { LogsSearch } from '../../routes/logs-search.js';
import type { TimeRange } from '../../shell/time-range.js';
import { CLASS } from './use-facets.js';

interface Props {
  /** Counts of events by class of the HTTP status. */
  readonly answer: ReadAt<Schemas['TimeseriesResponse']>;
  /** The search whose events are counted. A click narrows it. */
  readonly search: LogsSearch;
  readonly zoom: TimeRange['zoom'];
}

/** Draws the events of the whole range over time, stacked by the classes that say most. */
export function Histogram({ answer, search, zoom }: Props) {
  const { series: found, interval } = answer;
  const times = useMemo(() => found[0]?.points.map(({ ts }) => Date.parse(ts) / 1000) ?? [], [found]);
  const series = useMemo((): Series[] => {
    const sumOf = (isIncluded: (value: unknown) => boolean): number[] =>
      times.map((_, index) =>
        found.reduce((sum, { value, points }) => (isIncluded(value) ? sum + (points[index]?.value ?? 0) : sum), 0),
      );
    const isFailure = (value: unknown): boolean => value === '4xx' || value === '5xx';
    const [refused, failed] = [found.some(({ value }) => value === '4xx'), found.some(({ value }) => value === '5xx')];
    const eventsOf = (clause?: string) => () => eventsOfBucket(search, clause);
    return [
      {
        label: refused || failed ? 'Other' : 'All',
        color: 'sea',
        values: sumOf((value) => !isFailure(value)),
        eventsOf: eventsOf(refused || failed ? IS_NO_FAILURE : undefined),
      },
      ...(refused
        ? [
            {
              label: '4xx',
              color: 'orange' as const,
              values: sumOf((value) => value === '4xx'),
              eventsOf: eventsOf(isValue(CLASS, '4xx')),
            },
          ]
        : []),
      ...(failed
        ? [
            {
              label: '5xx',
              color: 'red' as const,
              values: sumOf((value) => value === '5xx'),
              eventsOf: eventsOf(isValue(CLASS, '5xx')),
            },
          ]
        : []),
    ];
  }, [found, search, times]);
  const total = found.reduce((sum, each) => sum + (each.total ?? 0), 0);
  return (
    <TimeChart
      label={`${numbered(total, 'event')} per ${interval}, ${series.map(({ label }) => label).join(', ')}`}
      times={times}
      series={series}
      {...axisOf(answer)}
      isStacked
      totalEvents={eventsOfBucket(search)}
      isSmall
      onSelect={zoom}
    />
  );
}

const IS_NO_FAILURE = `(${CLASS} == null or ${CLASS} not in ("4xx", "5xx"))`;

/** A live list ends now, so one bucket of it is not live. The time is that of the bucket. */
function eventsOfBucket(search: LogsSearch, clause?: string): LogsSearch {
  const clauses = [...clausesOf(search.where), ...(clause === undefined ? [] : [clause])];
  const where = allOf([...new Set(clauses)]);
  return { ...search, where, from: undefined, to: undefined, live: undefined, shown: undefined };
}
