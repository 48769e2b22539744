import { Card, Group, Select, Stack, Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMemo } from 'react';
import { analyticsSeries, type Narrowed, needsField } from '../../api/insight.js';
import type { ReadAt } from '../../api/read-at.js';
import { useAnswer } from '../../parts/answers.js';
import { Failure } from '../../parts/failures.js';
import { exactOf } from '../../parts/chart/units.js';
import { Suggested } from '../../parts/suggested.js';
import { axisOf, type SeriesColor, TimeChart, type Unit } from '../../parts/time-chart.js';
import { PendingPage } from '../../shell/around-pages.js';
import { type TimeRange, useTimeRange } from '../../shell/time-range.js';
import type { QuestionProps } from './analytics.js';
import { behindAggregate, eventsOfOthers, eventsOfValue, eventsWith } from './behind.js';

type Aggregate = Schemas['Aggregate'];
type Answer = ReadAt<Schemas['TimeseriesResponse']>;

const AGGREGATES: readonly { readonly value: Aggregate; readonly label: string }[] = [
  { value: 'count', label: 'Events' },
  { value: 'errors', label: 'Errors' },
  { value: 'error_rate', label: 'Error rate' },
  { value: 'unique', label: 'Distinct values of' },
  { value: 'sum', label: 'Sum of' },
  { value: 'avg', label: 'Average of' },
  { value: 'min', label: 'Minimum of' },
  { value: 'max', label: 'Maximum of' },
  { value: 'p50', label: 'p50 of' },
  { value: 'p95', label: 'p95 of' },
  { value: 'p99', label: 'p99 of' },
];
const INTERVALS = [
  { value: 'auto', label: 'Auto' },
  { value: 'minute', label: 'Minute' },
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
];
const COLORS: readonly SeriesColor[] = ['sea', 'orange', 'grape', 'blue', 'wine', 'olive'];

/** Shows one number per interval, optionally with a line for each value of a field. */
export function SeriesOverTime({ projectId, window, narrowed, search, set, fields, isBare = false }: QuestionProps) {
  const { aggregate = 'count', field, split, interval, compare } = search;
  const { zone, zoom } = useTimeRange();
  const takesField = needsField(aggregate);
  const { data, error, isPending, fetchStatus } = useAnswer(
    analyticsSeries(projectId, window, narrowed, {
      aggregate,
      aggregate_field: takesField ? field : undefined,
      split_by: split,
      interval,
      timezone: zone,
      compare: split === undefined ? compare : undefined,
    }),
  );
  const answer = (
    <>
      <Failure error={error} />
      {takesField && field === undefined && (
        <Text c="dimmed" role="status">
          Choose the field to measure.
        </Text>
      )}
      {isPending && fetchStatus === 'fetching' && <PendingPage />}
      {data !== undefined && (
        <Drawn answer={data} field={takesField ? field : undefined} narrowed={narrowed} zoom={zoom} isBare={isBare} />
      )}
    </>
  );
  if (isBare) return answer;
  return (
    <Stack gap="md">
      <Group gap="sm" align="flex-end">
        <Select
          label="Measure"
          w={{ base: 170, sm: 190 }}
          data={[...AGGREGATES]}
          allowDeselect={false}
          value={aggregate}
          onChange={(value) => set({ aggregate: value === 'count' || value === null ? undefined : value })}
        />
        {takesField && (
          <Suggested
            label="Field"
            placeholder="log.latency_ms"
            w={{ base: '100%', xs: 200 }}
            data={[...fields]}
            limit={50}
            maxLength={200}
            value={field}
            onChange={(value) => set({ field: value })}
          />
        )}
        <Suggested
          label="Group by"
          placeholder="Not split"
          w={{ base: 170, sm: 200 }}
          data={[...fields]}
          limit={50}
          maxLength={200}
          value={split}
          onChange={(value) => set({ split: value })}
        />
        <Select
          label="Interval"
          w={120}
          data={INTERVALS}
          allowDeselect={false}
          value={interval ?? 'auto'}
          onChange={(value) => set({ interval: value === 'auto' ? undefined : (value as typeof interval) })}
        />
        {split === undefined && (
          <Select
            label="Compare to"
            w={170}
            data={[
              { value: 'none', label: 'Nothing' },
              { value: 'previous', label: 'Previous period' },
            ]}
            allowDeselect={false}
            value={compare ?? 'none'}
            onChange={(value) => set({ compare: value === 'previous' ? 'previous' : undefined })}
          />
        )}
      </Group>
      {answer}
    </Stack>
  );
}

interface DrawnProps {
  readonly answer: Answer;
  readonly field: string | undefined;
  readonly narrowed: Narrowed;
  readonly zoom: TimeRange['zoom'];
  readonly isBare: boolean;
}

function Drawn({ answer, field, narrowed, zoom, isBare }: DrawnProps) {
  const { series: found, other, previous, aggregate, interval, timezone } = answer;
  const times = useMemo(() => found[0]?.points.map(({ ts }) => Date.parse(ts) / 1000) ?? [], [found]);
  const { split_by } = answer;
  const series = useMemo(() => {
    const behind = (value: number) => behindAggregate(aggregate, field, value);
    const others = {
      values: found.flatMap(({ value }) => (value === null ? [] : [value])),
      hasMissing: !found.some(({ is_missing }) => is_missing),
    };
    return [
      ...found.map((each, index) => ({
        label: nameOf(each, split_by, aggregate),
        color: COLORS[index % COLORS.length] ?? ('sea' as const),
        values: each.points.map(({ value }) => value),
        eventsOf: (value: number) =>
          split_by === null
            ? eventsWith(narrowed, behind(value))
            : eventsOfValue(narrowed, split_by, each.value, behind(value)),
      })),
      ...(other === null || split_by === null
        ? []
        : [
            {
              label: 'Other',
              color: 'gray' as const,
              values: other.points.map(({ value }) => value),
              eventsOf: (value: number) => eventsOfOthers(narrowed, split_by, others, behind(value)),
            },
          ]),
      ...(previous === null
        ? []
        : [
            {
              label: 'Previous period',
              color: 'gray' as const,
              line: 'dashed' as const,
              values: valuesAt(previous.points, times.length),
            },
          ]),
    ];
  }, [found, other, previous, aggregate, field, narrowed, split_by, times.length]);
  if (times.length === 0)
    return <Text c="dimmed">No event matches. A longer time or fewer filters may show some.</Text>;
  const unit = unitOf(aggregate, field);
  const isSplit = split_by !== null;
  const total = isSplit ? null : (found[0]?.total ?? null);
  const measured = [labelOf(aggregate), needsField(aggregate) ? field : undefined].filter(Boolean).join(' ');
  const title = `${measured} per ${interval}`;
  return (
    <Card withBorder>
      <TimeChart
        label={`${title}, ${series.map(({ label }) => label).join(', ')}`}
        times={times}
        series={series}
        title={title}
        heading={isBare ? null : 2}
        {...axisOf(answer)}
        unit={unit}
        shape={isWhole(aggregate) && (!isSplit || isAdded(aggregate)) ? 'bars' : 'lines'}
        isStacked={isSplit && isAdded(aggregate)}
        totalEvents={eventsWith(narrowed, behindAggregate(aggregate, field, 0))}
        onSelect={zoom}
      />
      <Text size="xs" c="dimmed" mt="xs">
        {isBare && `${title}. `}Time zone: {timezone}. Drag over the chart to zoom in, click to see the events.
        {total !== null && ` Total: ${exactOf(unit, total)}.`}
      </Text>
    </Card>
  );
}

function isWhole(aggregate: Aggregate): boolean {
  return aggregate === 'count' || aggregate === 'errors' || aggregate === 'unique';
}

/** Whether the values of a split add up to that of all events. */
function isAdded(aggregate: Aggregate): boolean {
  return aggregate === 'count' || aggregate === 'errors';
}

export function unitOf(aggregate: Aggregate, field: string | undefined): Unit {
  if (aggregate === 'error_rate') return 'share';
  if (isWhole(aggregate)) return 'count';
  return field?.endsWith('_ms') === true ? 'ms' : 'number';
}

export function labelOf(aggregate: Aggregate): string {
  return AGGREGATES.find(({ value }) => value === aggregate)?.label ?? aggregate;
}

function nameOf(each: Schemas['ValueSeries'], split: string | null, aggregate: Aggregate): string {
  if (split === null) return labelOf(aggregate).replace(/ of$/, '');
  if (each.is_missing) return '(none)';
  return each.value === '' ? '(empty)' : String(each.value);
}

/** The previous window may have one bucket more or less when the clocks change. */
function valuesAt(points: readonly Schemas['TimeseriesPoint'][], length: number): (number | null)[] {
  return Array.from({ length }, (_, index) => points[index]?.value ?? null);
}
