import { Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import type { Schemas } from '@operational-events/client';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useContext, useMemo, useState } from 'react';
import { alertsOfSeries, alertTimeline, measuredSeries, sampleEvents } from '../../../api/alerting.js';
import { alertDeliveries, attempt } from '../../../api/delivery.js';
import { annotations } from '../../../api/insight.js';
import { CurrentChartProject } from '../../../parts/chart/chart-project.js';
import { between, EventsLink } from '../../../parts/events-link.js';
import { Failure } from '../../../parts/failures.js';
import { LinkAnchor } from '../../../parts/links.js';
import { Moment } from '../../../parts/moment.js';
import { duration, whole } from '../../../parts/numbers.js';
import { StateBadge } from '../../../parts/state-badge.js';
import { inWords } from '../../../parts/words.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import type { FilterGroup } from '../filters/filter.js';
import { draftOfRule, type RuleDraft } from '../rules/draft.js';
import { bandsOf, type Measure, measureOf } from '../rules/measure.js';
import { nameOf } from '../rules/preview.js';
import { RuleChart } from '../rules/rule-chart.js';

type AlertEvent = Schemas['AlertEventResponse'];

interface Props {
  readonly alert: AlertEvent;
  /** The rule that raised the alert. Undefined when people raised it, or when the rule is deleted. */
  readonly rule: Schemas['AlertRuleResponse'] | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;
/** The chart begins this many windows of the rule before the alert, and at least an hour. */
const WINDOWS_BEFORE = 12;
const MAX_ATTEMPTS = 10;
const DAY_MS = 24 * HOUR_MS;
/** Deploys are listed from this long before the alert. */
const DEPLOYS_BEFORE_MS = 6 * HOUR_MS;
const MAX_DEPLOYS = 5;

const NO_MEASURE: Pick<Measure, 'series'> = {
  series: { from_ts: '', to_ts: '', interval: 'minute', aggregates: [] },
};

/** The number of the alert's rule over time. Nothing without a rule on events. */
export function IncidentChart({ alert, rule }: Props) {
  const draft = useMemo(() => (rule === undefined ? null : draftOfRule(rule)), [rule]);
  return draft === null || draft.kind === 'anomaly' ? null : <Chart alert={alert} draft={draft} />;
}

/** The other evidence of an alert: events, notifications and earlier alerts of its series. */
export function Incident({ alert, rule }: Props) {
  const draft = useMemo(() => (rule === undefined ? null : draftOfRule(rule)), [rule]);
  return (
    <>
      <Samples alert={alert} draft={draft} />
      <Deploys alert={alert} />
      <Notifications alert={alert} />
      <EarlierAlerts alert={alert} />
    </>
  );
}

/** Returns a filter for the events of the alert's group. */
function groupFilter({ group_values }: AlertEvent): FilterGroup {
  const all = Object.entries(group_values).map(([field, value]) =>
    value === null ? ({ field, op: 'exists', value: false } as const) : ({ field, op: 'eq', value } as const),
  );
  return all.length === 0 ? {} : { all };
}

function Chart({ alert, draft }: { readonly alert: AlertEvent; readonly draft: RuleDraft }) {
  const { project } = useCurrentProject();
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), MINUTE_MS, { autoInvoke: true });
  const begun = Date.parse(alert.created_at);
  const ended = alert.resolved_at === null ? null : Date.parse(alert.resolved_at);
  const around = Math.max(HOUR_MS, WINDOWS_BEFORE * draft.windowSeconds * 1_000);
  const from = begun - around;
  const to = Math.min(ended === null ? now : Math.min(now, ended + around), from + WEEK_MS);
  const measure = useMemo(() => measureOf(draft, { from, to }, groupFilter(alert)), [draft, from, to, alert]);
  const { data, error } = useQuery({
    ...measuredSeries(project.id, (measure ?? NO_MEASURE).series),
    enabled: measure !== null,
    // The chart stays while its end moves on.
    placeholderData: keepPreviousData,
  });
  // A day or a week earlier, the same hours of the day are compared.
  const shift = to - from > DAY_MS ? WEEK_MS : DAY_MS;
  const earlier = useMemo(
    () => measureOf(draft, { from: from - shift, to: to - shift }, groupFilter(alert)),
    [draft, from, to, shift, alert],
  );
  const past = useQuery({
    ...measuredSeries(project.id, (earlier ?? NO_MEASURE).series),
    enabled: earlier !== null && data !== undefined,
    placeholderData: keepPreviousData,
  });
  const before = useMemo(
    () =>
      past.data === undefined
        ? undefined
        : { label: shift === WEEK_MS ? '7 days before' : '24 hours before', answers: past.data },
    [past.data, shift],
  );
  const barSeconds = measure?.barSeconds ?? 60;
  const { forSeconds } = draft;
  const bands = useMemo(
    () => [
      // The condition held for this long before the alert was raised.
      ...(forSeconds > 0 ? [{ from: begun / 1_000 - forSeconds, until: begun / 1_000, isPending: true }] : []),
      ...bandsOf([{ at: alert.created_at, until: alert.resolved_at }], { isMoment: false, barSeconds, end: to }),
    ],
    [alert.created_at, alert.resolved_at, barSeconds, begun, forSeconds, to],
  );
  if (measure === null) return null;
  const name = nameOf(draft);
  const pending = forSeconds > 0 ? `, pending for ${duration(forSeconds)} before` : '';
  return (
    <Part title={`${name} over time`}>
      <Failure error={error} title="The number of the rule could not be read" />
      {data === undefined && error === null && <Skeleton height={220} />}
      {data !== undefined && (
        <RuleChart
          measure={measure}
          answers={data}
          name={name}
          label="The number of the rule"
          note={
            ended === null
              ? `firing for ${duration(Math.round((to - begun) / 1_000))}${pending}`
              : `it fired for ${duration(Math.round((ended - begun) / 1_000))}${pending}`
          }
          bands={bands}
          {...(before !== undefined && { before })}
          since={begun / 1_000}
          opensEvents
        />
      )}
    </Part>
  );
}

function Part({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Group justify="space-between" mb={4}>
        <Title order={3} size="h6">
          {title}
        </Title>
        {note}
      </Group>
      {children}
    </section>
  );
}

function Nothing({ children }: { readonly children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}

/** The newest events that the rule counted until the last occurrence of the alert. */
function Samples({ alert, draft }: { readonly alert: AlertEvent; readonly draft: RuleDraft | null }) {
  const { project } = useCurrentProject();
  const lead = draft === null ? HOUR_MS : draft.windowSeconds * 1_000;
  const window = {
    from: new Date(Date.parse(alert.created_at) - lead).toISOString(),
    to: new Date(Date.parse(alert.last_occurred_at) + MINUTE_MS).toISOString(),
  };
  const span = { from: Date.parse(window.from), to: Date.parse(window.to) };
  const measure = draft === null || draft.kind === 'anomaly' ? null : measureOf(draft, span, groupFilter(alert));
  const where = measure?.series.where;
  const event = draft === null ? (alert.event_type ?? undefined) : undefined;
  const isKnown = measure !== null || event !== undefined;
  const { data, error } = useQuery({ ...sampleEvents(project.id, window, { where, event }), enabled: isKnown });
  const behind = { where, event };
  const range = { range: undefined, ...window };
  // An absence has no events, and a finding is about numbers.
  if (!isKnown || draft?.kind === 'absence') return null;
  return (
    <Part
      title="Sample events"
      note={
        data !== undefined &&
        data.items.length > 0 && (
          <EventsLink size="xs" search={{ ...behind, ...range }}>
            {data.total === 1 ? 'The event' : `All ${whole(data.total)} events`}
          </EventsLink>
        )
      }
    >
      <Failure error={error} />
      {data?.items.length === 0 && <Nothing>No stored event matches any more.</Nothing>}
      {data !== undefined && data.items.length > 0 && (
        <Table layout="fixed" fz="sm" aria-label="Sample events">
          <Table.Tbody>
            {data.items.map((each) => (
              <Table.Tr key={each.id}>
                <Table.Td w={150}>
                  <EventsLink search={{ ...behind, ...range, shown: each.id }}>
                    <Moment at={each.timestamp} isShort />
                  </EventsLink>
                </Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  <Text size="sm" fw={600}>
                    {each.event}
                  </Text>
                  <Text size="xs" c="dimmed" lineClamp={2}>
                    {each.message ?? JSON.stringify(each.properties)}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Part>
  );
}

/** Events such as deploys that came before the alert or while it was open, the newest first. */
function Deploys({ alert }: { readonly alert: AlertEvent }) {
  const { project } = useCurrentProject();
  const patterns = useContext(CurrentChartProject)?.annotationEvents ?? [];
  const begun = Date.parse(alert.created_at);
  const from = begun - DEPLOYS_BEFORE_MS;
  const until = Math.max(begun, Date.parse(alert.resolved_at ?? alert.last_occurred_at)) + MINUTE_MS;
  const { data, error } = useQuery(annotations(project.id, patterns, from / 1_000, until / 1_000));
  if (patterns.length === 0) return null;
  const marks = data?.toSorted((one, other) => Date.parse(other.timestamp) - Date.parse(one.timestamp));
  return (
    <Part title="Deploys nearby">
      <Failure error={error} />
      {marks?.length === 0 && <Nothing>None in the 6 hours before the alert.</Nothing>}
      <Stack gap={4}>
        {marks?.slice(0, MAX_DEPLOYS).map(({ id, event, message, timestamp }) => (
          <Group key={id} gap="xs">
            <EventsLink
              search={{
                event,
                ...between(Date.parse(timestamp) / 1_000, Date.parse(timestamp) / 1_000 + 1),
                shown: id,
              }}
            >
              <Moment at={timestamp} isShort />
            </EventsLink>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {message ?? event}
            </Text>
            <Text size="xs" c="dimmed">
              {distanceOf(Date.parse(timestamp) - begun)}
            </Text>
          </Group>
        ))}
      </Stack>
    </Part>
  );
}

/** Returns how long before or after the alert something happened. @param ms negative: before */
function distanceOf(ms: number): string {
  return `${duration(Math.round(Math.abs(ms) / 1_000))} ${ms < 0 ? 'before the alert' : 'after it'}`;
}

/** Everybody who was notified of the alert, and what the receivers answered. */
function Notifications({ alert }: { readonly alert: AlertEvent }) {
  const { organization, project } = useCurrentProject();
  const { data: sent, error } = useQuery(alertDeliveries(project.id, { alert: alert.id }));
  const { data: entries } = useQuery(alertTimeline(project.id, alert.id));
  const attemptIds = (entries ?? []).flatMap(({ detail }) => textsOf(detail['attempts'])).slice(-MAX_ATTEMPTS);
  const attempts = useQueries({ queries: attemptIds.map((id) => attempt(project.id, id)) });
  const shown: Notified[] = [
    ...(sent?.items ?? []).map((each) => ({ ...each, name: each.destination_name, type: each.destination_type })),
    ...attempts.flatMap(({ data }) =>
      data === undefined ? [] : [{ ...data, name: data.channel_name ?? 'A deleted channel', type: data.channel_type }],
    ),
  ];
  const params = { organization: organization.slug, project: project.slug };
  return (
    <Part
      title="Notifications"
      note={
        <LinkAnchor
          to="/o/$organization/p/$project/attempts"
          params={params}
          search={{ alert: alert.id, range: 'all' }}
          size="xs"
        >
          All of them
        </LinkAnchor>
      }
    >
      <Failure error={error} />
      {sent !== undefined && shown.length === 0 && <Nothing>Nobody has been notified.</Nothing>}
      <Stack gap={6}>
        {shown.map((each) => (
          <Group key={each.id} gap="xs" wrap="wrap" role="group" aria-label={`Notification of ${each.name}`}>
            <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
              {each.name}
            </Text>
            <StateBadge state={each.status} />
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {answerOf(each)} · <Moment at={each.completed_at ?? each.created_at} isShort />
            </Text>
          </Group>
        ))}
      </Stack>
    </Part>
  );
}

interface Notified {
  readonly id: string;
  readonly name: string;
  readonly type: string | null;
  readonly status: string;
  readonly response_code: number | null;
  readonly response_summary: string | null;
  readonly failure_reason: string | null;
  readonly created_at: string;
  readonly completed_at: string | null;
}

function answerOf({ response_code, response_summary, failure_reason }: Notified): string {
  const parts = [
    response_code === null ? null : `Answer ${response_code}`,
    failure_reason === null ? null : inWords(failure_reason),
    response_summary,
  ].filter((part) => part !== null && part !== '');
  return parts.length === 0 ? 'No answer yet' : parts.join(': ');
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** Earlier alerts of the same rule and group. */
function EarlierAlerts({ alert }: { readonly alert: AlertEvent }) {
  const { organization, project } = useCurrentProject();
  const { data, error } = useQuery(alertsOfSeries(project.id, alert));
  return (
    <Part
      title="Earlier alerts"
      note={
        data !== undefined &&
        data.total > data.items.length && (
          <Text size="xs" c="dimmed">
            the newest {data.items.length} of {whole(data.total)}
          </Text>
        )
      }
    >
      <Failure error={error} />
      {data?.items.length === 0 && <Nothing>This is the first alert of its rule and group.</Nothing>}
      <Stack gap={4}>
        {data?.items.map((each) => (
          <Group key={each.id} gap="xs">
            <LinkAnchor
              to="/o/$organization/p/$project/alerts"
              params={{ organization: organization.slug, project: project.slug }}
              search={{ status: 'all', alert: each.id }}
              size="sm"
            >
              <Moment at={each.created_at} isShort />
            </LinkAnchor>
            <Text size="sm">{lasted(each)}</Text>
            <Text size="xs" c="dimmed">
              {each.occurrences === 1 ? 'once' : `${whole(each.occurrences)} times`}
            </Text>
          </Group>
        ))}
      </Stack>
    </Part>
  );
}

function lasted({ created_at, resolved_at }: AlertEvent): string {
  if (resolved_at === null) return 'not resolved';
  return `resolved after ${duration(Math.round((Date.parse(resolved_at) - Date.parse(created_at)) / 1_000))}`;
}
