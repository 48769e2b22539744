import { Badge, Card, Grid, Group, Progress, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { LinkButton } from '../../parts/links.js';
import { analyticsOverview, analyticsSeries } from '../../api/insight.js';
import { dashboard } from '../../api/queries.js';
import { EventsLink, IS_ERROR } from '../../parts/events-link.js';
import { Failure } from '../../parts/failures.js';
import { Figure } from '../../parts/figure.js';
import { Moment } from '../../parts/moment.js';
import { milliseconds, numbered, share, whole } from '../../parts/numbers.js';
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

function Filled({ now, past: { totals, top_events } }: FilledProps) {
  const { deliveries, open_alerts } = now;
  const isEmpty = totals.events === 0 && now.usage.events_used === 0;
  return (
    <>
      {isEmpty && <Nothing />}
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure name="Events" value={whole(totals.events)} events={{}} />
        <Figure
          name="Errors"
          value={whole(totals.errors)}
          note={`Error rate ${share(totals.error_rate)}`}
          isBad={totals.errors > 0}
          events={totals.errors === 0 ? undefined : { where: IS_ERROR }}
        />
        <Figure
          name="p50 latency"
          value={milliseconds(totals.p50_latency_ms)}
          events={slowerThan(totals.p50_latency_ms)}
          eventsTitle={SLOWER}
        />
        <Figure
          name="p95 latency"
          value={milliseconds(totals.p95_latency_ms)}
          events={slowerThan(totals.p95_latency_ms)}
          eventsTitle={SLOWER}
        />
      </SimpleGrid>
      <OverTime />
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <TopEvents events={top_events} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack>
            <Usage usage={now.usage} />
            <Card withBorder>
              <Title order={2} size="h5" mb="sm">
                Deliveries in the last 24 hours
              </Title>
              <Group>
                <Badge variant="light" color={open_alerts > 0 ? 'red' : 'gray'} tt="none">
                  {numbered(open_alerts, 'open alert')}
                </Badge>
                <Badge variant="light" color="sea" tt="none">
                  {whole(deliveries.sent)} sent
                </Badge>
                <Badge variant="light" color={deliveries.failed > 0 ? 'orange' : 'gray'} tt="none">
                  {whole(deliveries.failed)} failed
                </Badge>
                <Badge variant="light" color={deliveries.dlq > 0 ? 'red' : 'gray'} tt="none">
                  {numbered(deliveries.dlq, 'dead letter')}
                </Badge>
              </Group>
            </Card>
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
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

function TopEvents({ events }: { readonly events: Totals['top_events'] }) {
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
                <Table.Td>
                  <EventsLink search={{ event }}>{event}</EventsLink>
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

function Usage({ usage: { events_used, events_limit } }: { readonly usage: Dashboard['usage'] }) {
  const used = events_limit === null ? 0 : shareOf(events_used, events_limit);
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="sm">
        Used of the plan this month
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
