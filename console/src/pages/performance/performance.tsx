import { Card, Group, NumberInput, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { type Requests, performanceSeries, performanceSummary, type Window } from '../../api/insight.js';
import { Chip } from '../../parts/chip.js';
import { Failure } from '../../parts/failures.js';
import { changeNote, Figure } from '../../parts/figure.js';
import { decimal, milliseconds, share, whole } from '../../parts/numbers.js';
import { PageHead } from '../../parts/page-head.js';
import { TimeChart } from '../../parts/time-chart.js';
import type { PerformanceSearch } from '../../routes/insight.js';
import { PendingPage } from '../../shell/around-pages.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { type TimeRange, useTimeRange } from '../../shell/time-range.js';
import { EndpointRows } from './endpoint-rows.js';
import { FailureRows } from './failure-rows.js';
import { SlowestRows } from './slowest-rows.js';

const route = getRouteApi('/signed-in/o/$organization/p/$project/performance');
const APDEX_MS = 300;

/** The properties of each list. */
export interface ListProps {
  readonly projectId: string;
  readonly window: Window;
  readonly requests: Requests;
  readonly search: PerformanceSearch;
  readonly set: (change: Partial<PerformanceSearch>) => void;
}

export function PerformancePage() {
  const { project } = useCurrentProject();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = useCallback(
    (change: Partial<PerformanceSearch>) =>
      void navigate({ search: (before: PerformanceSearch) => ({ ...before, ...change }) }),
    [navigate],
  );
  const { method, endpoint, list = 'endpoints' } = search;
  const { window, zone, zoom } = useTimeRange();
  const asked: ListProps = { projectId: project.id, window, requests: { method, endpoint }, search, set };
  return (
    <Stack gap="md">
      <PageHead title="Performance" about="How fast requests are answered, how many fail, and where." />
      <Group gap="sm" align="flex-end">
        <NumberInput
          label="Good up to, ms"
          w={130}
          min={1}
          max={99_999}
          allowDecimal={false}
          value={Number(search.apdex ?? APDEX_MS)}
          onBlur={(event) => set({ apdex: apdexOf(event.currentTarget.value) })}
          onKeyDown={(event) => {
            if (event.key === 'Enter') set({ apdex: apdexOf(event.currentTarget.value) });
          }}
        />
        {endpoint !== undefined && (
          <Chip onClear={() => set({ method: undefined, endpoint: undefined })}>
            {method} {endpoint}
          </Chip>
        )}
      </Group>
      <Summary {...asked} />
      <Percentiles {...asked} zone={zone} zoom={zoom} />
      <Group>
        <SegmentedControl
          aria-label="List"
          data={[
            { value: 'endpoints', label: 'Endpoints' },
            { value: 'slowest', label: 'Slowest' },
            { value: 'failures', label: 'Errors' },
          ]}
          value={list}
          onChange={(value) => set({ list: value === 'endpoints' ? undefined : value })}
        />
      </Group>
      {list === 'endpoints' && <EndpointRows {...asked} />}
      {list === 'slowest' && <SlowestRows {...asked} />}
      {list === 'failures' && <FailureRows {...asked} />}
    </Stack>
  );
}

function apdexOf(text: string): string | undefined {
  return text === '' || Number(text) === APDEX_MS ? undefined : text;
}

function Summary({ projectId, window, requests, search }: ListProps) {
  const { data, error } = useQuery({
    ...performanceSummary(projectId, window, requests, Number(search.apdex ?? APDEX_MS)),
    placeholderData: keepPreviousData,
  });
  const { latency, change, apdex } = data ?? {};
  return (
    <>
      <Failure error={error} />
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }}>
        <Figure name="Requests" value={data ? whole(data.requests) : '…'} note={changeNote(change?.requests)} />
        <Figure
          name="Errors"
          value={data ? share(data.error_rate) : '…'}
          note={data && `${whole(data.errors)}, and ${whole(data.client_errors)} refused`}
          isBad={data !== undefined && data.errors > 0}
        />
        <Figure
          name="Latency, half"
          value={latency ? milliseconds(latency.p50_ms) : '…'}
          note={changeNote(change?.p50_ms)}
        />
        <Figure
          name="Latency, 95 %"
          value={latency ? milliseconds(latency.p95_ms) : '…'}
          note={changeNote(change?.p95_ms)}
        />
        <Figure
          name="Apdex"
          value={apdex === undefined ? '…' : apdex.score === null ? '–' : decimal(apdex.score)}
          note={apdex && apdex.score !== null ? wordOf(apdex.score) : undefined}
          isBad={apdex !== undefined && apdex.score !== null && apdex.score < 0.7}
        />
      </SimpleGrid>
    </>
  );
}

/** Returns the rating of the Apdex Alliance for a score. */
function wordOf(score: number): string {
  if (score >= 0.94) return 'excellent';
  if (score >= 0.85) return 'good';
  if (score >= 0.7) return 'fair';
  return score >= 0.5 ? 'poor' : 'unacceptable';
}

function Percentiles({ projectId, window, requests, zone, zoom }: ListProps & Pick<TimeRange, 'zone' | 'zoom'>) {
  const { data, error } = useQuery({
    ...performanceSeries(projectId, window, requests, zone),
    placeholderData: keepPreviousData,
  });
  const times = useMemo(() => data?.points.map(({ ts }) => Date.parse(ts) / 1000) ?? [], [data]);
  const latencies = useMemo(
    () => [
      { label: 'Half', color: 'sea' as const, values: data?.points.map(({ p50_ms }) => p50_ms) ?? [] },
      { label: '95 %', color: 'orange' as const, values: data?.points.map(({ p95_ms }) => p95_ms) ?? [] },
      { label: '99 %', color: 'grape' as const, values: data?.points.map(({ p99_ms }) => p99_ms) ?? [] },
    ],
    [data],
  );
  const requestsAndErrors = useMemo(
    () => [
      { label: 'Requests', color: 'sea' as const, values: data?.points.map((point) => point.requests) ?? [] },
      { label: 'Errors', color: 'red' as const, values: data?.points.map(({ errors }) => errors) ?? [] },
    ],
    [data],
  );
  if (data === undefined) return error === null ? <PendingPage /> : <Failure error={error} />;
  if (times.length === 0) return <Text c="dimmed">Nothing was asked of any endpoint in this time.</Text>;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Card withBorder>
        <Title order={2} size="h5" mb="xs">
          Latency by the {data.interval}
        </Title>
        <TimeChart
          label={`Latency by the ${data.interval}: half, 95 and 99 % are faster`}
          times={times}
          series={latencies}
          shape="lines"
          format={milliseconds}
          onSelect={zoom}
        />
      </Card>
      <Card withBorder>
        <Title order={2} size="h5" mb="xs">
          Requests and errors by the {data.interval}
        </Title>
        <TimeChart
          label={`Requests and errors by the ${data.interval}`}
          times={times}
          series={requestsAndErrors}
          onSelect={zoom}
        />
      </Card>
    </SimpleGrid>
  );
}
