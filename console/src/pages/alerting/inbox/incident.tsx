import { Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import type { Schemas } from '@operational-events/client';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useContext, useMemo, useState } from 'react';
import { alertsOfSeries, alertTimeline, measuredSeries, sampleEvents } from '../../../api/alerting.js';
import { alertDeliveries, attempt } from '../../../api/delivery.js';
import { annotations, markedEvents, MAX_ANNOTATIONS } from '../../../api/insight.js';
import type { ReadAt } from '../../../api/read-at.js';
import { CurrentChartProject } from '../../../parts/chart/chart-project.js';
import { between, EventsLink } from '../../../parts/events-link.js';
import { Failure } from '../../../parts/failures.js';
import { LinkAnchor } from '../../../parts/links.js';
import { Moment } from '../../../parts/moment.js';
import { duration, whole } from '../../../parts/numbers.js';
import { StateBadge } from '../../../parts/state-badge.js';
import { inWords } from '../../../parts/words.js';
import { useClock } from '../../../parts/zone.js';
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
const DAY_MS = 24 * HOUR_MS;
/** More before the alert would leave no room for the alert in a week. */
const MOST_AROUND_MS = 3 * DAY_MS;
const MAX_ATTEMPTS = 10;
/** Deploys are listed at least from this long before the alert on. */
const DEPLOYS_BEFORE_MS = 6 * HOUR_MS;
/** Deploys of a time that ends now are read again this often. */
const DEPLOYS_EACH_MS = 10 * MINUTE_MS;
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
      <Deploys alert={alert} draft={draft} />
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

/** Returns the present time, which moves on every minute. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), MINUTE_MS, { autoInvoke: true });
  return now;
}

const roundedUp = (at: number, step: number): number => Math.ceil(at / step) * step;

/** Returns the times around an alert, in milliseconds since 1970. An end in the present stays for a minute. */
function timesOf(alert: AlertEvent, draft: RuleDraft | null, now: number) {
  const begun = Date.parse(alert.created_at);
  const ended = alert.resolved_at === null ? null : Date.parse(alert.resolved_at);
  const windows = draft === null ? 0 : WINDOWS_BEFORE * draft.windowSeconds * 1_000;
  const around = Math.min(MOST_AROUND_MS, Math.max(HOUR_MS, windows));
  const from = begun - around;
  const end = Math.min(ended === null ? now : Math.min(now, ended + around), from + WEEK_MS);
  return {
    begun,
    ended,
    from,
    to: roundedUp(end, MINUTE_MS),
    /** The time whose deploys are read, in Unix seconds. */
    marked: {
      from: Math.min(from, begun - DEPLOYS_BEFORE_MS) / 1_000,
      until: roundedUp(end, DEPLOYS_EACH_MS) / 1_000,
    },
  };
}

function Chart({ alert, draft }: { readonly alert: AlertEvent; readonly draft: RuleDraft }) {
  const { project } = useCurrentProject();
  const now = useNow();
  const { begun, ended, from, to, marked } = timesOf(alert, draft, now);
  const measure = useMemo(() => measureOf(draft, { from, to }, groupFilter(alert)), [draft, from, to, alert]);
  const { data, error } = useQuery({
    ...measuredSeries(project.id, (measure ?? NO_MEASURE).series),
    enabled: measure !== null,
    // The chart stays while its end moves on.
    placeholderData: keepPreviousData,
  });
  // A day or a week earlier, the same hours of the day are compared. The whole day or week is read once.
  const shift = measure?.series.interval === 'hour' ? WEEK_MS : DAY_MS;
  const earlier = useMemo(
    () => measureOf(draft, { from: from - shift, to: from }, groupFilter(alert)),
    [draft, from, shift, alert],
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
        : {
            label: shift === WEEK_MS ? '7 days before' : '24 hours before',
            answers: past.data.map((each) => withoutEnd(each, to - shift)),
          },
    [past.data, shift, to],
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
              ? `firing for ${duration(Math.round((now - begun) / 1_000))}${pending}`
              : `it fired for ${duration(Math.round((ended - begun) / 1_000))}${pending}`
          }
          bands={bands}
          {...(before !== undefined && { before })}
          peak={{ from: begun / 1_000, until: (ended ?? to) / 1_000, isLow: isOfLow(draft) }}
          marked={marked}
          opensEvents
        />
      )}
    </Part>
  );
}

/** Returns an answer without the buckets from a time on, in milliseconds since 1970. */
function withoutEnd(answer: ReadAt<Schemas['TimeseriesResponse']>, end: number) {
  const series = answer.series.map((each) => ({
    ...each,
    points: each.points.filter(({ ts }) => Date.parse(ts) < end),
  }));
  return { ...answer, series };
}

/** Tells whether a rule fires at low numbers. */
function isOfLow({ kind, op, direction }: RuleDraft): boolean {
  if (kind === 'threshold') return op === 'lt' || op === 'lte';
  return kind === 'absence' || (kind === 'rate_of_change' && direction === 'down');
}

interface PartProps {
  readonly title: string;
  readonly note?: ReactNode;
  /** Whether the content is still being read. */
  readonly isPending?: boolean;
  readonly children: ReactNode;
}

function Part({ title, note, isPending = false, children }: PartProps) {
  return (
    <section aria-label={title}>
      <Group justify="space-between" mb={4}>
        <Title order={3} size="h6">
          {title}
        </Title>
        {note}
      </Group>
      {isPending && <Nothing>Loading…</Nothing>}
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
      isPending={data === undefined && error === null}
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

/** Events such as deploys around the beginning of the alert, the nearest first. */
function Deploys({ alert, draft }: { readonly alert: AlertEvent; readonly draft: RuleDraft | null }) {
  const { project } = useCurrentProject();
  const clock = useClock();
  const now = useNow();
  const patterns = useContext(CurrentChartProject)?.annotationEvents ?? [];
  const { begun, to, marked } = timesOf(alert, draft, now);
  const { data, error } = useQuery({
    ...annotations(project.id, patterns, marked.from, marked.until),
    // The list stays while its end moves on.
    placeholderData: keepPreviousData,
  });
  if (patterns.length === 0) return null;
  const distance = ({ timestamp }: Schemas['EventRecord']): number => Math.abs(Date.parse(timestamp) - begun);
  const marks = data?.toSorted((one, other) => distance(one) - distance(other));
  const where = markedEvents(patterns);
  return (
    <Part
      title="Deploys nearby"
      isPending={marks === undefined && error === null}
      note={
        marks !== undefined &&
        marks.length > MAX_DEPLOYS && (
          <Text size="xs" span>
            <EventsLink
              inherit
              search={where === undefined ? undefined : { where, ...between(marked.from, marked.until) }}
            >
              {MAX_DEPLOYS} of {marks.length < MAX_ANNOTATIONS ? '' : 'the newest '}
              {marks.length}
            </EventsLink>
          </Text>
        )
      }
    >
      <Failure error={error} />
      {marks?.length === 0 && (
        <Nothing>
          {`There was none from ${clock.minute(marked.from * 1_000)} to ${clock.minute(Math.min(now, to))}.`}
        </Nothing>
      )}
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
      isPending={sent === undefined && error === null}
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
      isPending={data === undefined && error === null}
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
