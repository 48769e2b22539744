import { Card, SimpleGrid, Text } from '@mantine/core';
import { useMemo } from 'react';
import { performanceSeries } from '../../api/insight.js';
import { useAnswer } from '../../parts/answers.js';
import { IS_ERROR } from '../../parts/events-link.js';
import { Failure } from '../../parts/failures.js';
import { axisOf, TimeChart } from '../../parts/time-chart.js';
import { PendingPage } from '../../shell/around-pages.js';
import { useTimeRange } from '../../shell/time-range.js';
import { conditionOf, type PartProps, requestsOf } from './part-props.js';

/** Charts of latency, requests and errors. */
export function OverTime({ projectId, window, search, isBare = false }: PartProps) {
  const { zone, zoom } = useTimeRange();
  const { data, error } = useAnswer(performanceSeries(projectId, window, requestsOf(search), zone));
  const times = useMemo(() => data?.points.map(({ ts }) => Date.parse(ts) / 1000) ?? [], [data]);
  const latencies = useMemo(() => {
    // The events behind a percentile took at least as long.
    const eventsOf = (ms: number) => ({ where: conditionOf(search, `log.latency_ms >= ${ms}`) });
    return [
      { label: 'p50', color: 'sea' as const, values: data?.points.map(({ p50_ms }) => p50_ms) ?? [], eventsOf },
      { label: 'p95', color: 'orange' as const, values: data?.points.map(({ p95_ms }) => p95_ms) ?? [], eventsOf },
      { label: 'p99', color: 'grape' as const, values: data?.points.map(({ p99_ms }) => p99_ms) ?? [], eventsOf },
    ];
  }, [data, search]);
  const counted = search.events === 'other' ? 'Events' : 'Requests';
  const counts = useMemo(
    () => [
      {
        label: counted,
        color: 'sea' as const,
        values: data?.points.map(({ requests }) => requests) ?? [],
        eventsOf: () => ({ where: conditionOf(search) }),
      },
      {
        label: 'Errors',
        color: 'red' as const,
        values: data?.points.map(({ errors }) => errors) ?? [],
        eventsOf: () => ({ where: conditionOf(search, IS_ERROR) }),
      },
    ],
    [data, counted, search],
  );
  if (data === undefined) return error === null ? <PendingPage /> : <Failure error={error} />;
  // Two charts of one panel have headings below that of the panel.
  const heading = isBare ? 3 : 2;
  if (times.length === 0) return <Text c="dimmed">No events in this time range.</Text>;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Card withBorder>
        <TimeChart
          title={`Latency per ${data.interval}`}
          heading={heading}
          label={`Latency per ${data.interval}: p50, p95 and p99`}
          times={times}
          series={latencies}
          shape="lines"
          unit="ms"
          {...axisOf(data)}
          onSelect={zoom}
        />
      </Card>
      <Card withBorder>
        <TimeChart
          title={`${counted} and errors per ${data.interval}`}
          heading={heading}
          label={`${counted} and errors per ${data.interval}`}
          times={times}
          series={counts}
          {...axisOf(data)}
          onSelect={zoom}
        />
      </Card>
    </SimpleGrid>
  );
}
