import { Badge, Card, Grid, Group, Progress, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { LinkAnchor, LinkButton } from '../../parts/links.js';
import { dashboard } from '../../api/queries.js';
import { Failure } from '../../parts/failures.js';
import { Figure } from '../../parts/figure.js';
import { Moment } from '../../parts/moment.js';
import { milliseconds, share, whole } from '../../parts/numbers.js';
import { TimeChart } from '../../parts/time-chart.js';
import { useCurrentProject } from '../../shell/current-project.js';

type Dashboard = Schemas['DashboardResponse'];

/** Shows the last 24 hours of the project. */
export function OverviewPage() {
  const { project } = useCurrentProject();
  const { data, error } = useQuery(dashboard(project.id));
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end">
        <div>
          <Title order={1} size="h2">
            {project.name}
          </Title>
          <Text c="dimmed">The last 24 hours</Text>
        </div>
        {data !== undefined && (
          <Text size="sm" c="dimmed">
            As of <Moment at={data.to_ts} clockOnly />
          </Text>
        )}
      </Group>
      <Failure error={error} />
      {data === undefined ? error === null && <Waiting /> : <Filled data={data} />}
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

function Filled({ data }: { readonly data: Dashboard }) {
  const { totals, deliveries, open_alerts } = data;
  const isEmpty = totals.events === 0 && data.usage.events_used === 0;
  return (
    <>
      {isEmpty && <Nothing />}
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure name="Events" value={whole(totals.events)} />
        <Figure
          name="Errors"
          value={whole(totals.errors)}
          note={`${share(shareOf(totals.errors, totals.events))} of all`}
          isBad={totals.errors > 0}
        />
        <Figure name="Latency, half" value={milliseconds(totals.p50_latency_ms)} note="are faster" />
        <Figure name="Latency, 95 %" value={milliseconds(totals.p95_latency_ms)} note="are faster" />
      </SimpleGrid>
      <Hours hours={data.timeseries} />
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <TopEvents data={data} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack>
            <Usage usage={data.usage} />
            <Card withBorder>
              <Title order={2} size="h5" mb="sm">
                Who was told
              </Title>
              <Group>
                <Badge variant="light" color={open_alerts > 0 ? 'red' : 'gray'} tt="none">
                  {whole(open_alerts)} open alerts
                </Badge>
                <Badge variant="light" color="sea" tt="none">
                  {whole(deliveries.sent)} sent
                </Badge>
                <Badge variant="light" color={deliveries.failed > 0 ? 'orange' : 'gray'} tt="none">
                  {whole(deliveries.failed)} failed
                </Badge>
                <Badge variant="light" color={deliveries.dlq > 0 ? 'red' : 'gray'} tt="none">
                  {whole(deliveries.dlq)} given up
                </Badge>
              </Group>
            </Card>
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
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

function Hours({ hours }: { readonly hours: Dashboard['timeseries'] }) {
  const times = useMemo(() => hours.map(({ ts }) => Date.parse(ts) / 1000), [hours]);
  const series = useMemo(
    () => [
      { label: 'Events', color: 'sea' as const, values: hours.map(({ events }) => events) },
      { label: 'Errors', color: 'red' as const, values: hours.map(({ errors }) => errors) },
    ],
    [hours],
  );
  const busiest = hours.reduce((most, { events }) => Math.max(most, events), 0);
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        Events and errors by the hour
      </Title>
      <TimeChart
        label={`Events and errors of each of the last ${hours.length} hours; at most ${whole(busiest)} in one`}
        times={times}
        series={series}
      />
    </Card>
  );
}

function TopEvents({ data }: { readonly data: Dashboard }) {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  return (
    <Card withBorder h="100%">
      <Title order={2} size="h5" mb="sm">
        Most frequent events
      </Title>
      {data.top_events.length === 0 ? (
        <Text c="dimmed" size="sm">
          Names of events appear here, the most frequent first.
        </Text>
      ) : (
        <Table>
          <Table.Tbody>
            {data.top_events.map(({ event, total }) => (
              <Table.Tr key={event}>
                <Table.Td>
                  <LinkAnchor
                    to="/o/$organization/p/$project/logs"
                    params={params}
                    search={{ q: event, range: '7d' }}
                    size="sm"
                  >
                    {event}
                  </LinkAnchor>
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
        {whole(events_used)} {events_limit === null ? 'events, without a limit' : `of ${whole(events_limit)} events`}
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
