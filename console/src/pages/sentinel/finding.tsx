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
import { Fact, Facts } from '../../parts/facts.js';
import { Failure } from '../../parts/failures.js';
import { Moment } from '../../parts/moment.js';
import { decimal } from '../../parts/numbers.js';
import { Side } from '../../parts/side.js';
import { StateBadge } from '../../parts/state-badge.js';
import { type Series, TimeChart } from '../../parts/time-chart.js';
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
  const readAnew = () => queries.invalidateQueries({ queryKey: sentinelKey(project.id) });
  const acknowledging = useMutation({
    mutationFn: () => api.acknowledgeFinding({ path: { finding_id: id }, body: {} }),
    onSettled: readAnew,
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
      <Evidence finding={data} />
      <What finding={data} />
      <Dialog title="Dismiss the finding" isOpen={isDismissing} onClose={() => setIsDismissing(false)}>
        <Dismiss id={id} readAnew={readAnew} onDone={() => setIsDismissing(false)} />
      </Dialog>
    </Stack>
  );
}

/** Formats a value in the unit of the series. */
function told({ series: { metric } }: Finding, value: number): string {
  if (metric === 'error_rate') return SHARE.format(value);
  return metric === 'p95_latency_ms' ? `${decimal(value)} ms` : decimal(value);
}

/**
 * Shows the series as it was evaluated: the values, the expected values, and the bounds outside of which a value is
 * unusual.
 */
function Evidence({ finding: { evidence, series: of } }: { readonly finding: Finding }) {
  const { points, interval_seconds } = evidence;
  const unit = of.metric === 'error_rate' ? 'share' : of.metric === 'p95_latency_ms' ? 'ms' : 'number';
  const { times, series, stretches } = useMemo(() => {
    const valuesOf = (name: 'actual' | 'expected' | 'lower' | 'upper') => points.map((point) => point[name]);
    const drawn: Series[] = [
      { label: inWords(of.metric), color: 'sea', values: valuesOf('actual') },
      { label: 'Expected', color: 'blue', line: 'solid', values: valuesOf('expected') },
      { label: 'Upper bound', color: 'blue', line: 'dashed', values: valuesOf('upper') },
      { label: 'Lower bound', color: 'blue', line: 'dashed', values: valuesOf('lower') },
    ];
    const moments = points.map(({ ts }) => Date.parse(ts) / 1000);
    return {
      times: moments,
      series: drawn.filter(({ values }) => values.some((value) => value !== null)),
      stretches: points.flatMap(({ is_anomalous }, index) => {
        const at = moments[index] ?? 0;
        return is_anomalous ? [{ from: at, until: at + interval_seconds }] : [];
      }),
    };
  }, [interval_seconds, of.metric, points]);
  if (points.length === 0) return <Text c="dimmed">This kind has no series: its first event is the evidence.</Text>;
  return (
    <section aria-label="Evidence">
      <TimeChart
        label={`${inWords(of.metric)} of each ${durationOf(interval_seconds)}, with what was expected; ${stretches.length} of ${points.length} were unusual`}
        times={times}
        series={series}
        stretches={stretches}
        unit={unit}
        interval={interval_seconds}
      />
    </section>
  );
}

function What({ finding: one }: { readonly finding: Finding }) {
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
          <Fact name="Came">
            {told(one, one.actual)}
            {one.expected !== null && `, expected: ${told(one, one.expected)}`}
          </Fact>
        )}
        <Fact name="Began">
          <Moment at={one.started_at} />
        </Fact>
        <Fact name="Last seen">
          <Moment at={one.last_seen_at} />
        </Fact>
        <Fact name="Learned from">
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
            What contributed
          </Title>
          <Table>
            <Table.Tbody>
              {contributors.map(({ field, value, share, usual_share }) => (
                <Table.Tr key={`${field} ${value}`}>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
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
  { value: 'expected', label: 'It was expected', about: 'Mutes this kind and series, and no more' },
  { value: 'not_useful', label: 'It is of no use', about: 'Also widens its bounds for a month' },
  { value: 'wrong', label: 'It is wrong', about: 'Also widens its bounds for a month' },
];

interface DismissProps {
  readonly id: string;
  readonly readAnew: () => Promise<void>;
  readonly onDone: () => void;
}

function Dismiss({ id, readAnew, onDone }: DismissProps) {
  const [reason, setReason] = useState<Schemas['FeedbackReason']>('expected');
  const [note, setNote] = useState('');
  const [hours, setHours] = useState<number | string>(24);
  const dismiss = async () => {
    await api.dismissFinding({
      path: { finding_id: id },
      body: { reason, note: note.trim() === '' ? null : note.trim(), mute_hours: Number(hours) },
    });
    await readAnew();
  };
  return (
    <ActForm verb="Dismiss it" act={dismiss} onDone={onDone}>
      <Radio.Group label="Why" value={reason} onChange={(value) => setReason(value)}>
        <Stack gap="xs" mt={6}>
          {REASONS.map(({ value, label, about }) => (
            <Radio key={value} value={value} label={label} description={about} />
          ))}
        </Stack>
      </Radio.Group>
      <NumberInput
        label="Mute for hours"
        description="Of this kind and series; a month at most"
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
