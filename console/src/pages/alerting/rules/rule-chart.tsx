import { Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMemo } from 'react';
import type { ReadAt } from '../../../api/read-at.js';
import { durationOf } from '../../../parts/durations.js';
import { exactOf } from '../../../parts/chart/units.js';
import { extentOf, type Series, type Span, type Stretch, TimeChart } from '../../../parts/time-chart.js';
import { useClock } from '../../../parts/zone.js';
import { behindAggregate, eventsWith } from '../../analytics/behind.js';
import { barsOf, type Measure } from './measure.js';

interface Props {
  readonly measure: Measure;
  readonly answers: readonly ReadAt<Schemas['TimeseriesResponse']>[];
  /** The name of the number. */
  readonly name: string;
  /** The name of the chart for screen readers: its beginning, and what the bands are. */
  readonly label: string;
  readonly note: string;
  readonly bands: readonly Stretch[];
  /** The same number an earlier time, whose bars end where these do. */
  readonly before?: { readonly label: string; readonly answers: Props['answers'] };
  /** The time of the bars whose most extreme number is named. */
  readonly peak?: Peak;
  /** The time whose marked events are read. Undefined: that of the bars. */
  readonly marked?: Span;
  /** Whether a click on a bar opens the events that it counts. */
  readonly opensEvents?: boolean;
}

interface Peak extends Span {
  /** Whether the rule is about low numbers. */
  readonly isLow: boolean;
}

/** More bars than this would be thinner than a line. */
const MAX_BARS = 300;

/** The number of a rule over time, with its threshold and the times in which it fires. */
export function RuleChart(props: Props) {
  const { measure, answers, name, label, note, bands, before, peak: wantedPeak, marked, opensEvents = false } = props;
  const clock = useClock();
  const { threshold, barSeconds } = measure;
  const [answer] = answers;
  const aggregate = answers.length > 1 ? 'error_rate' : answer?.aggregate;
  const { times, series } = useMemo(() => {
    const bars = barsOf(measure, answers);
    const { where, aggregate_field } = measure.series;
    const eventsOf = (value: number) =>
      eventsWith({ where }, behindAggregate(aggregate ?? 'count', aggregate_field, value));
    const drawn: Series[] = [
      { label: name, color: 'sea', values: bars.values, ...(opensEvents && { eventsOf }) },
      ...(before === undefined
        ? []
        : [
            {
              label: before.label,
              color: 'gray' as const,
              line: 'dashed' as const,
              values: endingLike(barsOf(measure, before.answers).values, bars.times.length),
            },
          ]),
    ];
    return { times: bars.times, series: drawn };
  }, [measure, answers, aggregate, name, before, opensEvents]);
  const isTime = measure.series.aggregate_field?.endsWith('_ms') === true;
  const unit = aggregate === 'error_rate' ? 'share' : aggregate === 'count' ? 'count' : isTime ? 'ms' : 'number';
  const thresholds = useMemo(
    () => (threshold === null ? [] : [{ value: threshold, label: `Threshold ${exactOf(unit, threshold)}` }]),
    [threshold, unit],
  );
  if (answer === undefined || times.length === 0) return <Text c="dimmed">No events in this time.</Text>;
  const [values = []] = series.map((each) => each.values);
  const peak = wantedPeak && peakOf(times, values, { ...wantedPeak, from: wantedPeak.from - barSeconds });
  const isOneDay = new Set(times.map((at) => clock.day(at * 1_000))).size === 1;
  return (
    <>
      {peak !== undefined && (
        <Text size="sm" className="numbers">
          {wantedPeak?.isLow === true ? 'Lowest' : 'Peak'} <b>{exactOf(unit, peak.value)}</b> at{' '}
          {(isOneDay ? clock.time : clock.minute)(peak.at * 1_000)} · Last <b>{exactOf(unit, values.at(-1) ?? null)}</b>
          {threshold !== null && ` · Threshold ${exactOf(unit, threshold)}`}
        </Text>
      )}
      <TimeChart
        label={`${label}, over each ${durationOf(barSeconds)}${threshold === null ? '' : `, with the threshold ${exactOf(unit, threshold)}`}; ${note}`}
        times={times}
        series={series}
        stretches={bands}
        thresholds={thresholds}
        unit={unit}
        interval={barSeconds}
        {...extentOf(answer)}
        marked={marked}
        shape={times.length > MAX_BARS || aggregate?.startsWith('p') || aggregate === 'avg' ? 'lines' : 'bars'}
      />
    </>
  );
}

/** Returns the last values, with as many missing ones before them as the length needs. */
function endingLike(values: readonly (number | null)[], length: number): (number | null)[] {
  const last = length === 0 ? [] : values.slice(-length);
  return [...Array.from({ length: length - last.length }, () => null), ...last];
}

/** Returns the largest or the least value of the bars that begin in a time. */
function peakOf(times: readonly number[], values: readonly (number | null)[], { from, until, isLow }: Peak) {
  const [peak] = times
    .flatMap((at, index) => {
      const value = values[index] ?? null;
      return value === null || at < from || at >= until ? [] : [{ at, value }];
    })
    .sort((one, other) => (isLow ? one.value - other.value : other.value - one.value));
  return peak;
}
