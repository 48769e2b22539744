import {
  Badge,
  Card,
  Grid,
  Group,
  RingProgress,
  SimpleGrid,
  Stack,
  Table,
  Text,
  Title,
  UnstyledButton,
} from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { findings, sentinelOverview, sentinelWorkers } from '../../api/alerting.js';
import { itemsOf } from '../../api/pages.js';
import { Choice } from '../../parts/choice.js';
import { durationOf } from '../../parts/durations.js';
import { Failure } from '../../parts/failures.js';
import { Listed, More } from '../../parts/listed.js';
import { Ago, Moment } from '../../parts/moment.js';
import { PageHead } from '../../parts/page-head.js';
import { Cell, Empty, Rows } from '../../parts/rows.js';
import { StateBadge } from '../../parts/state-badge.js';
import { searchChange } from '../../parts/use-search-change.js';
import { inWords, wordsOf } from '../../parts/words.js';
import { FINDING_KINDS, FINDING_STATUSES, type FindingSearch, SEVERITIES } from '../../routes/alerting.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { FindingDrawer } from './finding.js';

type Overview = Schemas['SentinelOverviewResponse'];

const route = getRouteApi('/signed-in/o/$organization/p/$project/sentinel');

export function SentinelPage() {
  const { project } = useCurrentProject();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = searchChange<FindingSearch>(navigate);
  const overview = useQuery(sentinelOverview(project.id));
  const list = useInfiniteQuery(findings(project.id, search));
  const isFiltered = search.status !== undefined || search.kind !== undefined || search.severity !== undefined;
  return (
    <Stack gap="lg">
      <PageHead title="Sentinel" guide="sentinel" about="Unusual behaviour, found without rules, with its evidence." />
      <Failure error={overview.error} />
      {overview.data !== undefined && <Health overview={overview.data} />}
      <Group gap="sm" align="flex-end">
        <Choice
          label="Status"
          options={FINDING_STATUSES}
          value={search.status}
          onChange={(status) => set({ status })}
        />
        <Choice label="Kind" options={FINDING_KINDS} value={search.kind} onChange={(kind) => set({ kind })} />
        <Choice
          label="Severity"
          options={SEVERITIES}
          value={search.severity}
          onChange={(severity) => set({ severity })}
        />
      </Group>
      <Listed
        query={{ data: itemsOf(list.data), error: list.error }}
        empty={
          <Empty
            title={isFiltered ? 'No finding matches' : 'No findings'}
            about="Every five minutes the numbers of events, errors and latencies are compared with the usual numbers of this hour of the week. A series is in training for three days before it is evaluated."
          />
        }
      >
        {(found) => (
          <Rows label="Findings" columns={['Finding', 'Kind', 'Severity', 'Status', 'Began']} minWidth={760}>
            {found.map((finding) => (
              <Table.Tr key={finding.id}>
                <Cell column="Finding">
                  <UnstyledButton
                    c="var(--mantine-color-anchor)"
                    fw={600}
                    fz="sm"
                    onClick={() => set({ finding: finding.id })}
                  >
                    {finding.title}
                  </UnstyledButton>
                  <Text size="sm" c="dimmed" lineClamp={2}>
                    {finding.summary}
                  </Text>
                </Cell>
                <Cell column="Kind">{wordsOf(finding.kind)}</Cell>
                <Cell column="Severity">
                  <StateBadge state={finding.severity} />
                </Cell>
                <Cell column="Status">
                  <StateBadge state={finding.status} />
                </Cell>
                <Cell column="Began">
                  <Ago at={finding.started_at} />
                </Cell>
              </Table.Tr>
            ))}
          </Rows>
        )}
      </Listed>
      <More query={list} />
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          {overview.data !== undefined && <Detectors overview={overview.data} />}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Workers />
        </Grid.Col>
      </Grid>
      <FindingDrawer id={search.finding} onClose={() => set({ finding: undefined })} />
    </Stack>
  );
}

function Health({ overview }: { readonly overview: Overview }) {
  const { score, state, open_findings: open, coverage, evaluated_until } = overview;
  const color = score === null ? 'gray' : score >= 80 ? 'sea' : score >= 50 ? 'orange' : 'red';
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      <Card withBorder component="section" aria-label="Health">
        <Group wrap="nowrap">
          <RingProgress
            size={84}
            thickness={8}
            roundCaps
            sections={[{ value: score ?? 0, color }]}
            label={
              <Text ta="center" fw={650} className="numbers">
                {score ?? '–'}
              </Text>
            }
          />
          <div>
            <Text size="sm" c="dimmed">
              Health, of 100
            </Text>
            <StateBadge state={state} />
          </div>
        </Group>
      </Card>
      <Card withBorder component="section" aria-label="Open findings">
        <Text size="sm" c="dimmed">
          Open findings
        </Text>
        <Text fz={28} fw={650} lh={1.2} className="numbers">
          {open.total}
        </Text>
        <Group gap={6} mt={4}>
          {SEVERITIES.map(
            (severity) =>
              open[severity] > 0 && (
                <Badge
                  key={severity}
                  variant="light"
                  tt="none"
                  color={{ critical: 'red', warning: 'orange', info: 'gray' }[severity]}
                >
                  {open[severity]} {severity}
                </Badge>
              ),
          )}
        </Group>
      </Card>
      <Card withBorder component="section" aria-label="Watched">
        <Text size="sm" c="dimmed">
          Watched series
        </Text>
        <Text fz={28} fw={650} lh={1.2} className="numbers">
          {coverage.series}
        </Text>
        <Text size="xs" c="dimmed">
          {coverage.learning} in training
          {evaluated_until !== null && (
            <>
              ; evaluated until <Moment at={evaluated_until} />
            </>
          )}
        </Text>
      </Card>
    </SimpleGrid>
  );
}

function Detectors({ overview }: { readonly overview: Overview }) {
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        Findings of the last 7 days
      </Title>
      <Rows label="Detectors" columns={['Kind', 'Found', 'Dismissed']} minWidth={280}>
        {overview.detectors.map(({ kind, findings_7d, dismissed_7d }) => (
          <Table.Tr key={kind}>
            <Cell column="Kind">{wordsOf(kind)}</Cell>
            <Cell column="Found" className="numbers">
              {findings_7d}
            </Cell>
            <Cell column="Dismissed" className="numbers">
              {dismissed_7d}
            </Cell>
          </Table.Tr>
        ))}
      </Rows>
    </Stack>
  );
}

function Workers() {
  const { project } = useCurrentProject();
  const { data, error } = useQuery(sentinelWorkers(project.id));
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        Background jobs
      </Title>
      <Failure error={error} />
      {data !== undefined && (
        <Rows label="Workers" columns={['Job', 'State', 'Last run', 'Lag']} minWidth={420}>
          {data.map(({ name, state, last_run_at, lag_seconds }) => (
            <Table.Tr key={name}>
              <Cell column="Job">{inWords(name)}</Cell>
              <Cell column="State">
                <StateBadge state={state} />
              </Cell>
              <Cell column="Last run">{last_run_at === null ? 'Never' : <Ago at={last_run_at} />}</Cell>
              <Cell column="Lag">{lag_seconds === 0 ? 'None' : durationOf(Math.round(lag_seconds))}</Cell>
            </Table.Tr>
          ))}
        </Rows>
      )}
    </Stack>
  );
}
