import { Badge, Card, Grid, Group, Progress, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { LinkAnchor, LinkButton } from '../../parts/links.js';
import { newestOpenAlerts } from '../../api/alerting.js';
import { analyticsOverview, analyticsSeries } from '../../api/insight.js';
import { dashboard } from '../../api/queries.js';
import { EventsLink, IS_ERROR } from '../../parts/events-link.js';
import { Failure } from '../../parts/failures.js';
import { changeNote, countNote, Figure, MIN_COMPARED } from '../../parts/figure.js';
import { Ago, Moment } from '../../parts/moment.js';
import { decimal, milliseconds, numbered, share, whole } from '../../parts/numbers.js';
import { StateBadge } from '../../parts/state-badge.js';
import { axisOf, TimeChart } from '../../parts/time-chart.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { useTimeRange } from '../../shell/time-range.js';
import { Checklist } from '../start/checklist.js';

type Dashboard = Schemas['DashboardResponse'];
type Totals = Schemas['OverviewResponse'];

/** Shows the events of the time range, and the deliveries and the plan as they are now. */
export function OverviewPage() {
  const { project } = useCurrentProject();
  const { window } = useTimeRange();
  const now = useQuery(dashboard(project.id));
  const past = useQuery({ ...analyticsOverview(project.id, window, {}), placeholderData: keepPreviousData });
  const error = now.error ?? past.error;
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end">
        <Title order={1} size="h2">
          {project.name}
        </Title>
        {past.data !== undefined && (
          <Text size="sm" c="dimmed">
            As of <Moment at={past.data.to_ts} isShort />
          </Text>
        )}
      </Group>
      <Failure error={error} />
      {now.data === undefined || past.data === undefined ? (
        error === null && <Waiting />
      ) : (
        <Filled now={now.data} past={past.data} />
      )}
      <Checklist />
    </Stack>
  );
}

function Waiting() {
  return (
    <Stack role="status" aria-label="Loading">
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        {['a', 'b', 'c', 'd'].map((each) => (
          <Skeleton key={each} height={92} />
        ))}
      </SimpleGrid>
      <Skeleton height={300} />
    </Stack>
  );
}

interface FilledProps {
  readonly now: Dashboard;
  readonly past: Totals;
}

function Filled({ now, past: { totals, top_events, previous, change } }: FilledProps) {
  const { deliveries, open_alerts } = now;
  const noteOf = (relative: number | null | undefined): string | undefined =>
    totals.events === 0 ? undefined : changeNote(relative, previous?.events);
  const isEmpty = totals.events === 0 && now.usage.events_used === 0;
  return (
    <>
      {isEmpty && <Nothing />}
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure
          name="Events"
          value={whole(totals.events)}
          note={countNote(totals.events, change?.events, previous?.events)}
          events={{}}
        />
        <Figure
          name="Errors"
          value={whole(totals.errors)}
          note={`Error rate ${share(totals.error_rate)}${pointsOf(change?.error_rate, previous?.events)}`}
          isBad={totals.errors > 0}
          events={totals.errors === 0 ? undefined : { where: IS_ERROR }}
        />
        <Figure
          name="p50 latency"
          value={milliseconds(totals.p50_latency_ms)}
          note={totals.p50_latency_ms === null ? undefined : noteOf(change?.p50_latency_ms)}
          events={slowerThan(totals.p50_latency_ms)}
          eventsTitle={SLOWER}
        />
        <Figure
          name="p95 latency"
          value={milliseconds(totals.p95_latency_ms)}
          note={totals.p95_latency_ms === null ? undefined : noteOf(change?.p95_latency_ms)}
          events={slowerThan(totals.p95_latency_ms)}
          eventsTitle={SLOWER}
        />
      </SimpleGrid>
      <OverTime />
      <Grid>
        <Grid.Col span={{ base: 12, md: 6, lg: 5 }}>
          <TopEvents events={top_events} all={totals.events} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6, lg: 4 }}>
          <OpenAlerts total={open_alerts} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 3 }}>
          <Stack>
            <Deliveries deliveries={deliveries} />
            <Usage usage={now.usage} />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}

/** Returns the change of a rate in percentage points, or nothing when there is nothing to compare with. */
function pointsOf(change: number | undefined, before: number | undefined): string {
  if (change === undefined || before === undefined || before < MIN_COMPARED || Math.abs(change) < 0.000_05) return '';
  return `, ${change > 0 ? '+' : '−'}${decimal(Math.abs(change) * 100)} pp`;
}

const SLOWER = 'Show the events that took at least as long';

function slowerThan(ms: number | null) {
  return ms === null ? undefined : { where: `log.latency_ms >= ${ms}` };
}

function Nothing() {
  const { organization, project } = useCurrentProject();
  return (
    <Card withBorder padding="lg">
      <Stack align="flex-start" gap="sm">
        <Title order={2} size="h4">
          Nothing has come in yet
        </Title>
        <Text c="dimmed">
          An event is one thing that happened: a request, an order, a login. Send one by one command and watch it
          arrive.
        </Text>
        <LinkButton
          to="/o/$organization/p/$project/first-event"
          params={{ organization: organization.slug, project: project.slug }}
        >
          Send the first event
        </LinkButton>
      </Stack>
    </Card>
  );
}

function OverTime() {
  const { project } = useCurrentProject();
  const { window, zone, zoom } = useTimeRange();
  const seriesOf = (aggregate: 'count' | 'errors') => ({
    ...analyticsSeries(project.id, window, {}, { aggregate, timezone: zone }),
    placeholderData: keepPreviousData,
  });
  const events = useQuery(seriesOf('count'));
  const errors = useQuery(seriesOf('errors'));
  const [all, failed] = [events.data?.series[0]?.points, errors.data?.series[0]?.points];
  const times = useMemo(() => all?.map(({ ts }) => Date.parse(ts) / 1000) ?? [], [all]);
  const series = useMemo(() => {
    // The two answers may begin a bucket apart.
    const errorsAt = new Map(failed?.map(({ ts, value }) => [ts, value]));
    return [
      {
        label: 'Events',
        color: 'sea' as const,
        values: all?.map(({ value }) => value) ?? [],
        eventsOf: () => ({}),
      },
      {
        label: 'Errors',
        color: 'red' as const,
        values: all?.map(({ ts }) => errorsAt.get(ts) ?? null) ?? [],
        eventsOf: () => ({ where: IS_ERROR }),
      },
    ];
  }, [all, failed]);
  const busiest = all?.reduce((most, { value }) => Math.max(most, value ?? 0), 0) ?? 0;
  return (
    <Card withBorder>
      <Failure error={events.error ?? errors.error} />
      {events.data === undefined ? (
        events.error === null && <Skeleton height={220} />
      ) : times.length === 0 ? (
        <Text c="dimmed">No event came in this time.</Text>
      ) : (
        <TimeChart
          title={`Events and errors per ${events.data.interval}`}
          label={`Events and errors per ${events.data.interval}; at most ${whole(busiest)} in one`}
          times={times}
          series={series}
          {...axisOf(events.data)}
          onSelect={zoom}
        />
      )}
    </Card>
  );
}

interface TopEventsProps {
  readonly events: Totals['top_events'];
  /** The number of all events. */
  readonly all: number;
}

function TopEvents({ events, all }: TopEventsProps) {
  return (
    <Card withBorder h="100%">
      <Title order={2} size="h5" mb="sm">
        Most frequent events
      </Title>
      {events.length === 0 ? (
        <Text c="dimmed" size="sm">
          Names of events appear here, the most frequent first.
        </Text>
      ) : (
        <Table>
          <Table.Tbody>
            {events.map(({ value: event, events: total }) => (
              <Table.Tr key={event}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  <EventsLink search={{ event }}>{event}</EventsLink>
                </Table.Td>
                <Table.Td w="28%" visibleFrom="xs">
                  <Progress value={shareOf(total, all) * 100} color="sea.5" aria-label={`Share of ${event}`} />
                </Table.Td>
                <Table.Td ta="end" className="numbers">
                  {whole(total)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Card>
  );
}

/** Lists the newest open alerts. */
function OpenAlerts({ total }: { readonly total: number }) {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  const { data, error } = useQuery(newestOpenAlerts(project.id));
  return (
    <Card withBorder h="100%">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h5">
          Open alerts{total > 0 ? ` (${whole(total)})` : ''}
        </Title>
        <LinkAnchor to="/o/$organization/p/$project/alerts" params={params} size="sm">
          All alerts
        </LinkAnchor>
      </Group>
      <Failure error={error} />
      {data?.length === 0 && (
        <Text c="dimmed" size="sm">
          No alert is open.
        </Text>
      )}
      <Stack gap="sm">
        {data?.map((alert) => (
          <Group key={alert.id} justify="space-between" wrap="nowrap" gap="sm">
            <div style={{ minWidth: 0 }}>
              <LinkAnchor
                to="/o/$organization/p/$project/alerts"
                params={params}
                search={{ alert: alert.id }}
                size="sm"
                style={{ overflowWrap: 'anywhere' }}
              >
                {alert.message}
              </LinkAnchor>
              <Text size="xs" c="dimmed">
                <Ago at={alert.created_at} />
              </Text>
            </div>
            <StateBadge state={alert.severity} />
          </Group>
        ))}
      </Stack>
    </Card>
  );
}

function Deliveries({ deliveries: { sent, failed, dlq } }: { readonly deliveries: Dashboard['deliveries'] }) {
  const { organization, project } = useCurrentProject();
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h5">
          Deliveries
          <Text span inherit size="sm" fw={400} c="dimmed">
            {' '}
            24 h
          </Text>
        </Title>
        <LinkAnchor
          to="/o/$organization/p/$project/attempts"
          params={{ organization: organization.slug, project: project.slug }}
          search={{ range: '24h' }}
          size="sm"
        >
          All attempts
        </LinkAnchor>
      </Group>
      <Group gap="xs">
        <Badge variant="light" color="sea" tt="none">
          {whole(sent)} sent
        </Badge>
        <Badge variant="light" color={failed > 0 ? 'orange' : 'gray'} tt="none">
          {whole(failed)} failed
        </Badge>
        <Badge variant="light" color={dlq > 0 ? 'red' : 'gray'} tt="none">
          {numbered(dlq, 'dead letter')}
        </Badge>
      </Group>
    </Card>
  );
}

function Usage({ usage: { events_used, events_limit } }: { readonly usage: Dashboard['usage'] }) {
  const used = events_limit === null ? 0 : shareOf(events_used, events_limit);
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="sm">
        Plan usage this month
      </Title>
      <Text className="numbers" mb={6}>
        {events_limit === null
          ? `${numbered(events_used, 'event')}, without a limit`
          : `${whole(events_used)} of ${numbered(events_limit, 'event')}`}
      </Text>
      {events_limit !== null && (
        <Progress
          value={Math.min(100, used * 100)}
          color={used > 0.9 ? 'red' : 'sea.5'}
          aria-label="Share of the plan"
        />
      )}
    </Card>
  );
}

function shareOf(part: number, all: number): number {
  return all === 0 ? 0 : part / all;
}
