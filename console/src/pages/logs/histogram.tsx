import type { Schemas } from '@operational-events/client';
import { useMemo } from 'react';
import type { ReadAt } from '../../api/read-at.js';
import { axisOf, type Series, TimeChart } from '../../parts/time-chart.js';
import { whole } from '../../parts/numbers.js';
import type { TimeRange } from '../../shell/time-range.js';

interface Props {
  /** Counts of events by class of the HTTP status. */
  readonly answer: ReadAt<Schemas['TimeseriesResponse']>;
  readonly zoom: TimeRange['zoom'];
}

/** Draws the events of the whole range over time, stacked by the classes that say most. */
export function Histogram({ answer, zoom }: Props) {
  const { series: found, interval } = answer;
  const times = useMemo(() => found[0]?.points.map(({ ts }) => Date.parse(ts) / 1000) ?? [], [found]);
  const series = useMemo((): Series[] => {
    const sumOf = (isIncluded: (value: unknown) => boolean): number[] =>
      times.map((_, index) =>
        found.reduce((sum, { value, points }) => (isIncluded(value) ? sum + (points[index]?.value ?? 0) : sum), 0),
      );
    const isFailure = (value: unknown): boolean => value === '4xx' || value === '5xx';
    const [refused, failed] = [found.some(({ value }) => value === '4xx'), found.some(({ value }) => value === '5xx')];
    return [
      { label: refused || failed ? 'Other' : 'All', color: 'sea', values: sumOf((value) => !isFailure(value)) },
      ...(refused ? [{ label: '4xx', color: 'orange' as const, values: sumOf((value) => value === '4xx') }] : []),
      ...(failed ? [{ label: '5xx', color: 'red' as const, values: sumOf((value) => value === '5xx') }] : []),
    ];
  }, [found, times]);
  const total = found.reduce((sum, each) => sum + (each.total ?? 0), 0);
  return (
    <TimeChart
      label={`${whole(total)} events by the ${interval}, ${series.map(({ label }) => label).join(', ')}`}
      times={times}
      series={series}
      {...axisOf(answer)}
      isStacked
      isSmall
      onSelect={zoom}
    />
  );
}
