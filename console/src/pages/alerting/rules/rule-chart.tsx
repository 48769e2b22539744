import { Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMemo } from 'react';
import { durationOf } from '../../../parts/durations.js';
import { decimal, share } from '../../../parts/numbers.js';
import { type Stretch, TimeChart } from '../../../parts/time-chart.js';
import { barsOf, type Measure } from './measure.js';

interface Props {
  readonly measure: Measure;
  readonly answers: readonly Schemas['TimeseriesResponse'][];
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
  const aggregate = answers.length > 1 ? 'error_rate' : answers[0]?.aggregate;
  const { times, series } = useMemo(() => {
    const bars = barsOf(measure, answers);
    return {
      times: bars.times,
      series: [
        { label: name, color: 'sea' as const, values: bars.values },
        ...(threshold === null
          ? []
          : [
              {
                label: 'Threshold',
                color: 'red' as const,
                line: 'dashed' as const,
                values: bars.times.map(() => threshold),
              },
            ]),
      ],
    };
  }, [measure, answers, name, threshold]);
  if (times.length === 0) return <Text c="dimmed">Nothing came in that time.</Text>;
  const format = aggregate === 'error_rate' ? share : aggregate === 'count' ? undefined : decimal;
  return (
    <TimeChart
      label={`${label}, over each ${durationOf(barSeconds)}${threshold === null ? '' : `, with the threshold ${(format ?? decimal)(threshold)}`}; ${note}`}
      times={times}
      series={series}
      stretches={bands}
      {...(format !== undefined && { format })}
      shape={times.length > MOST_BARS || aggregate?.startsWith('p') || aggregate === 'avg' ? 'lines' : 'bars'}
    />
  );
}
