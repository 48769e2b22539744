import { Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMemo } from 'react';
import type { ReadAt } from '../../../api/read-at.js';
import { durationOf } from '../../../parts/durations.js';
import { exactOf } from '../../../parts/chart/units.js';
import { extentOf, type Stretch, TimeChart } from '../../../parts/time-chart.js';
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
}

/** More bars than this would be thinner than a line. */
const MOST_BARS = 300;

/** The number of a rule over time, with its threshold and the times in which it fires. */
export function RuleChart({ measure, answers, name, label, note, bands }: Props) {
  const { threshold, barSeconds } = measure;
  const [answer] = answers;
  const aggregate = answers.length > 1 ? 'error_rate' : answer?.aggregate;
  const { times, series } = useMemo(() => {
    const bars = barsOf(measure, answers);
    return { times: bars.times, series: [{ label: name, color: 'sea' as const, values: bars.values }] };
  }, [measure, answers, name]);
  const isTime = measure.series.aggregate_field?.endsWith('_ms') === true;
  const unit = aggregate === 'error_rate' ? 'share' : aggregate === 'count' ? 'count' : isTime ? 'ms' : 'number';
  const thresholds = useMemo(
    () => (threshold === null ? [] : [{ value: threshold, label: `Threshold ${exactOf(unit, threshold)}` }]),
    [threshold, unit],
  );
  if (answer === undefined || times.length === 0) return <Text c="dimmed">Nothing came in that time.</Text>;
  return (
    <TimeChart
      label={`${label}, over each ${durationOf(barSeconds)}${threshold === null ? '' : `, with the threshold ${exactOf(unit, threshold)}`}; ${note}`}
      times={times}
      series={series}
      stretches={bands}
      thresholds={thresholds}
      unit={unit}
      interval={barSeconds}
      {...extentOf(answer)}
      shape={times.length > MOST_BARS || aggregate?.startsWith('p') || aggregate === 'avg' ? 'lines' : 'bars'}
    />
  );
}
