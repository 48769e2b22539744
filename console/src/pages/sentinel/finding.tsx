import { Group, NumberInput, Progress, Radio, Stack, Table, Text, Textarea, Title } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { finding, sentinelKey } from '../../api/alerting.js';
import { api } from '../../api/client.js';
import { MEMBERS, useRefusal } from '../../api/roles.js';
import { Act } from '../../parts/act.js';
import { ActForm } from '../../parts/act-form.js';
import { Dialog } from '../../parts/dialog.js';
import { durationOf } from '../../parts/durations.js';
import { between, EventsLink, type EventsSearch, IS_ERROR } from '../../parts/events-link.js';
import { Fact, Facts } from '../../parts/facts.js';
import { Failure } from '../../parts/failures.js';
import { Moment } from '../../parts/moment.js';
import { decimal } from '../../parts/numbers.js';
import { Side } from '../../parts/side.js';
import { StateBadge } from '../../parts/state-badge.js';
import { type Series, type Stretch, TimeChart } from '../../parts/time-chart.js';
import { inWords } from '../../parts/words.js';
import { PendingPage } from '../../shell/around-pages.js';
import { useCurrentProject } from '../../shell/current-project.js';

type Finding = Schemas['FindingWithEvidenceResponse'];

const SHARE = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

interface Props {
  /** The id of the finding that is shown. Undefined: the drawer is closed. */
  readonly id: string | undefined;
  readonly onClose: () => void;
}

export function FindingDrawer({ id, onClose }: Props) {
  return (
    <Side title="Finding" size="xl" isOpen={id !== undefined} onClose={onClose}>
      {id !== undefined && <Detail key={id} id={id} />}
    </Side>
  );
}

function Detail({ id }: { readonly id: string }) {
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  const { data, error } = useQuery(finding(project.id, id));
  const refusal = useRefusal(project.id, MEMBERS);
  const [isDismissing, setIsDismissing] = useState(false);
  const refetch = () => queries.invalidateQueries({ queryKey: sentinelKey(project.id) });
  const acknowledging = useMutation({
    mutationFn: () => api.acknowledgeFinding({ path: { finding_id: id }, body: {} }),
    onSettled: refetch,
  });
  if (data === undefined) return error === null ? <PendingPage /> : <Failure error={error} />;
  const isUnresolved = data.status === 'open' || data.status === 'acknowledged';
  return (
    <Stack>
      <Group gap="xs">
        <StateBadge state={data.severity} />
        <StateBadge state={data.status} />
      </Group>
      <div>
        <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
          {data.title}
        </Title>
        <Text c="dimmed">{data.summary}</Text>
      </div>
      {isUnresolved && (
        <Group gap="xs">
          {data.status === 'open' && (
            <Act size="xs" refusal={refusal} loading={acknowledging.isPending} onAct={() => acknowledging.mutate()}>
              Acknowledge
            </Act>
          )}
          <Act size="xs" variant="default" refusal={refusal} onAct={() => setIsDismissing(true)}>
            Dismiss
          </Act>
        </Group>
      )}
      <Failure error={acknowledging.error} />
      <EventsLink search={{ ...eventsOf(data, null), ...timeOf(data) }}>Events of this time</EventsLink>
      <Evidence finding={data} />
      <Summary finding={data} />
      <Dialog title="Dismiss the finding" isOpen={isDismissing} onClose={() => setIsDismissing(false)}>
        <Dismiss id={id} refetch={refetch} onDone={() => setIsDismissing(false)} />
      </Dialog>
    </Stack>
  );
}

/** Returns the filters of the events behind a value of the series. @param value null: all events of the series */
function eventsOf({ series: { type, value: name, metric } }: Finding, value: number | null): EventsSearch {
  const ofSeries = name === null || type === 'project' ? {} : type === 'event' ? { event: name } : { source_id: name };
  const where =
    metric === 'error_rate'
      ? IS_ERROR
      : metric === 'p95_latency_ms' && value !== null
        ? `log.latency_ms >= ${value}`
        : undefined;
  return { ...ofSeries, where };
}

const BUCKET_S = 300;

/**
 * Returns the time that a judged value counts, in Unix seconds. Distinct values are those of the hour that ends with
 * the bucket.
 */
function evaluatedTime({ kind, evidence }: Finding, ts: string): Stretch {
  const until = Date.parse(ts) / 1_000 + BUCKET_S;
  return { from: until - (kind === 'cardinality_explosion' ? evidence.interval_seconds : BUCKET_S), until };
}

/** Returns the time that a value of the evidence counts. Hours before the finding are whole, and are not judged. */
function spanOf(one: Finding, { ts, expected, is_anomalous }: Finding['evidence']['points'][number]): Stretch {
  const from = Date.parse(ts) / 1_000;
  const isWhole = expected === null && !is_anomalous;
  return isWhole ? { from, until: from + one.evidence.interval_seconds } : evaluatedTime(one, ts);
}

/** Returns the time of the values that are unusual. */
function timeOf(one: Finding) {
  return between(evaluatedTime(one, one.started_at).from, evaluatedTime(one, one.last_seen_at).until);
}

/** Formats a value in the unit of the series. */
function formatted({ series: { metric } }: Finding, value: number): string {
  if (metric === 'error_rate') return SHARE.format(value);
  return metric === 'p95_latency_ms' ? `${decimal(value)} ms` : decimal(value);
}

/**
 * Shows the series as it was evaluated: the values, the expected values, and the bounds outside of which a value is
 * unusual.
 */
function Evidence({ finding: one }: { readonly finding: Finding }) {
  const { evidence, series: of } = one;
  const { points, interval_seconds } = evidence;
  const unit = of.metric === 'error_rate' ? 'share' : of.metric === 'p95_latency_ms' ? 'ms' : 'number';
  const { begins, series, stretches } = useMemo(() => {
    const valuesOf = (name: 'actual' | 'expected' | 'lower' | 'upper') => points.map((point) => point[name]);
    const spans = points.map((point) => spanOf(one, point));
    const times = spans.map(({ from, until }) => between(from, until));
    const drawn: Series[] = [
      {
        label: inWords(of.metric),
        color: 'sea',
        values: valuesOf('actual'),
        eventsOf: (value, index) => ({ ...eventsOf(one, value), ...(times[index] ?? {}) }),
      },
      { label: 'Expected', color: 'blue', line: 'solid', values: valuesOf('expected') },
      { label: 'Upper bound', color: 'blue', line: 'dashed', values: valuesOf('upper') },
      { label: 'Lower bound', color: 'blue', line: 'dashed', values: valuesOf('lower') },
    ];
    return {
      begins: spans.map(({ from }) => from),
      series: drawn.filter(({ values }) => values.some((value) => value !== null)),
      stretches: spans.filter((_, index) => points[index]?.is_anomalous),
    };
  }, [of.metric, one, points]);
  if (points.length === 0)
    return <Text c="dimmed">The evidence of this kind is the first event, so it has no chart.</Text>;
  return (
    <section aria-label="Evidence">
      <TimeChart
        label={`${inWords(of.metric)} per ${durationOf(interval_seconds)}, with the expected values; ${stretches.length} of ${points.length} were unusual`}
        times={begins}
        series={series}
        stretches={stretches}
        unit={unit}
        interval={interval_seconds}
      />
    </section>
  );
}

function Summary({ finding: one }: { readonly finding: Finding }) {
  const { baseline, contributors } = one.evidence;
  return (
    <>
      <Facts>
        <Fact name="Kind">{inWords(one.kind)}</Fact>
        <Fact name="Series">
          {inWords(one.series.metric)} of{' '}
          {one.series.value === null ? 'the project' : `${one.series.type} ${one.series.value}`}
        </Fact>
        {one.actual !== null && (
          <Fact name="Actual">
            {formatted(one, one.actual)}
            {one.expected !== null && `, expected: ${formatted(one, one.expected)}`}
          </Fact>
        )}
        <Fact name="Began">
          <Moment at={one.started_at} />
        </Fact>
        <Fact name="Last seen">
          <Moment at={one.last_seen_at} />
        </Fact>
        <Fact name="Baseline">
          {baseline.samples} samples of{' '}
          {baseline.method === 'hour_of_week' ? 'the same hour of the week' : 'the last days'}
        </Fact>
        {one.feedback !== null && (
          <Fact name="Dismissed as">
            {inWords(one.feedback.reason)}
            {one.feedback.note !== null && `: ${one.feedback.note}`}
          </Fact>
        )}
      </Facts>
      {contributors.length > 0 && (
        <section aria-label="Contributors">
          <Title order={3} size="h6" mb="xs">
            Contributors
          </Title>
          <Table>
            <Table.Tbody>
              {contributors.map(({ field, value, share, usual_share }) => (
                <Table.Tr key={`${field} ${value}`}>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>
                    <EventsLink search={{ [field]: value, where: eventsOf(one, null).where, ...timeOf(one) }}>
                      {value}
                    </EventsLink>
                  </Table.Td>
                  <Table.Td w="40%">
                    <Progress value={share * 100} aria-label={`Share of ${value}`} />
                  </Table.Td>
                  <Table.Td className="numbers">
                    {SHARE.format(share)}, usually {SHARE.format(usual_share)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
    </>
  );
}

const REASONS: readonly {
  readonly value: Schemas['FeedbackReason'];
  readonly label: string;
  readonly about: string;
}[] = [
  { value: 'expected', label: 'Expected', about: 'Only mutes this kind and series' },
  { value: 'not_useful', label: 'Not useful', about: 'Also raises its thresholds for 30 days' },
  { value: 'wrong', label: 'Wrong', about: 'Also raises its thresholds for 30 days' },
];

interface DismissProps {
  readonly id: string;
  readonly refetch: () => Promise<void>;
  readonly onDone: () => void;
}

function Dismiss({ id, refetch, onDone }: DismissProps) {
  const [reason, setReason] = useState<Schemas['FeedbackReason']>('expected');
  const [note, setNote] = useState('');
  const [hours, setHours] = useState<number | string>(24);
  const dismiss = async () => {
    await api.dismissFinding({
      path: { finding_id: id },
      body: { reason, note: note.trim() === '' ? null : note.trim(), mute_hours: Number(hours) },
    });
    await refetch();
  };
  return (
    <ActForm verb="Dismiss" act={dismiss} onDone={onDone}>
      <Radio.Group label="Reason" value={reason} onChange={(value) => setReason(value)}>
        <Stack gap="xs" mt={6}>
          {REASONS.map(({ value, label, about }) => (
            <Radio key={value} value={value} label={label} description={about} />
          ))}
        </Stack>
      </Radio.Group>
      <NumberInput
        label="Mute for hours"
        description="For this kind and series, at most 720 hours"
        min={0}
        max={720}
        allowDecimal={false}
        value={hours}
        onChange={setHours}
      />
      <Textarea
        label="Note"
        placeholder="Load test until Thursday"
        autosize
        minRows={2}
        maxLength={1000}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
    </ActForm>
  );
}
