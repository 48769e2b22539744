import {
  Alert,
  Button,
  Card,
  Group,
  ScrollArea,
  SegmentedControl,
  Skeleton,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { backtest, type MeasuredSeries, measuredSeries } from '../../../api/alerting.js';
import { useMay } from '../../../api/use-may.js';
import { OPERATORS } from '../../../api/roles.js';
import { Failure } from '../../../parts/failures.js';
import { Moment } from '../../../parts/moment.js';
import { whole } from '../../../parts/numbers.js';
import { TimeChart } from '../../../parts/time-chart.js';
import { PREVIEW_RANGES, type RuleSearch } from '../../../routes/alerting.js';
import { eqlOf } from '../filters/eql.js';
import { groupOf, Misspelt } from '../filters/filter.js';
import { type RuleDraft, takesField } from './draft.js';

type Rule = Schemas['AlertRuleResponse'];
type Range = (typeof PREVIEW_RANGES)[number];

interface Props {
  readonly projectId: string;
  readonly draft: RuleDraft;
  /** The rule as it is stored. Null before it is saved. */
  readonly rule: Rule | null;
  /** Whether the draft differs from the stored rule. */
  readonly isChanged: boolean;
  readonly range: RuleSearch['range'];
  readonly onRange: (range: RuleSearch['range']) => void;
  /** Why the rule cannot be back-tested. Undefined when it can. */
  readonly refusal: string | undefined;
}

/** The service answers about twenty such queries a minute, so the query is sent when typing has stopped. */
const TYPING_MS = 1_200;
const HOURS: Readonly<Record<Range, number>> = { '2h': 2, '24h': 24, '7d': 168 };
const SHOWN = 50;

/** Shows the series that the rule evaluates, and when the rule would have fired. */
export function Preview({ projectId, draft, rule, isChanged, range = '24h', onRange, refusal }: Props) {
  const [now, setNow] = useState(Date.now);
  const from = new Date(now - HOURS[range] * 3_600_000).toISOString();
  const measured = useMemo(() => measuredOf(draft, from, range), [draft, from, range]);
  const [asked] = useDebouncedValue(measured, TYPING_MS);
  const mayTry = useMay(projectId, OPERATORS);
  const series = useQuery({
    ...measuredSeries(projectId, asked ?? { from_ts: from, interval: 'auto', aggregate: 'count' }),
    enabled: asked !== null,
  });
  const tried = useQuery({
    ...backtest(rule ?? NEVER, from, new Date(now).toISOString()),
    enabled: rule !== null && mayTry,
  });
  return (
    <Card withBorder component="section" aria-label="Preview">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h5">
            Over the past
          </Title>
          <SegmentedControl
            size="xs"
            aria-label="How far back"
            data={PREVIEW_RANGES.map((value) => ({ value, label: LABELS[value] }))}
            value={range}
            onChange={(next) => onRange(next === '24h' ? undefined : next)}
          />
        </Group>
        {series.data === undefined && series.error === null && asked !== null && <Skeleton height={220} />}
        <Failure error={series.error} title="The series could not be drawn" />
        {series.data !== undefined && (
          <Drawn answer={series.data} draft={draft} firings={tried.data?.firings ?? NO_FIRINGS} until={now} />
        )}
        {rule === null ? (
          <Text size="sm" c="dimmed">
            The bars are what the rule looks at. When it would have fired is told once it is saved; saved switched off
            it tells nobody.
          </Text>
        ) : (
          <>
            {isChanged && (
              <Alert variant="light" color="orange" p="xs">
                The series is that of what you have written; the firings are those of the rule as it is saved.
              </Alert>
            )}
            <Failure error={tried.error} title="The rule could not be tried" />
            {refusal !== undefined && (
              <Text size="sm" c="dimmed">
                {refusal}, to try a rule over the past.
              </Text>
            )}
            {tried.isFetching && (
              <Text size="sm" c="dimmed" role="status">
                Trying it over the past …
              </Text>
            )}
            {tried.data !== undefined && <Tried result={tried.data} windowSeconds={draft.windowSeconds} />}
          </>
        )}
        <Button variant="default" size="xs" style={{ alignSelf: 'flex-start' }} onClick={() => setNow(Date.now())}>
          Look again
        </Button>
      </Stack>
    </Card>
  );
}

const LABELS: Readonly<Record<Range, string>> = { '2h': '2 hours', '24h': '24 hours', '7d': '7 days' };
const NEVER = { id: '', project_id: '', updated_at: '' } as Rule;
const NO_FIRINGS: Schemas['BacktestResponse']['firings'] = [];

/** @returns null when the draft is no valid query */
function measuredOf(draft: RuleDraft, from_ts: string, range: Range): MeasuredSeries | null {
  const of = { from_ts, interval: range === '2h' ? ('minute' as const) : ('hour' as const) };
  if (draft.kind === 'anomaly') return { ...of, aggregate: 'count' };
  try {
    const where = eqlOf(groupOf(draft.filter));
    if (draft.kind === 'match' || draft.kind === 'absence') return { ...of, aggregate: 'count', where };
    const { aggregate, aggregateField } = draft;
    if (!takesField(aggregate)) return { ...of, aggregate, where };
    return aggregateField.trim() === '' ? null : { ...of, aggregate, aggregate_field: aggregateField.trim(), where };
  } catch (error) {
    if (error instanceof Misspelt) return null;
    throw error;
  }
}

interface DrawnProps {
  readonly answer: Schemas['TimeseriesResponse'];
  readonly draft: RuleDraft;
  readonly firings: Schemas['BacktestResponse']['firings'];
  /** The end of the chart, in milliseconds since 1970. */
  readonly until: number;
}

function Drawn({ answer, draft, firings, until }: DrawnProps) {
  const isRate = answer.aggregate === 'error_rate';
  const bound = boundOf(draft);
  const { times, series } = useMemo(() => {
    const points = answer.series[0]?.points ?? [];
    const factor = isRate ? 100 : 1;
    return {
      times: points.map(({ ts }) => Date.parse(ts) / 1000),
      series: [
        {
          label: isRate ? 'Rate of errors, %' : `By the ${answer.interval}`,
          color: 'sea' as const,
          values: points.map(({ value }) => (value === null ? null : value * factor)),
        },
        ...(bound === null
          ? []
          : [
              {
                label: 'Bound',
                color: 'red' as const,
                line: 'dashed' as const,
                values: points.map(() => bound * factor),
              },
            ]),
      ],
    };
  }, [answer, bound, isRate]);
  const half = answer.interval === 'minute' ? 30 : 1_800;
  const stretches = useMemo(
    () =>
      firings.map((each) => ({
        // A bar is centered on the start of its bucket.
        from: Date.parse(each.at) / 1000 - half,
        until: (each.until === null ? until : Date.parse(each.until)) / 1000 - half,
      })),
    [firings, half, until],
  );
  if (times.length === 0) return <Text c="dimmed">Nothing came in that time.</Text>;
  return (
    <TimeChart
      label={`What the rule looks at, by the ${answer.interval}; it would have fired ${firings.length} times`}
      times={times}
      series={series}
      stretches={stretches}
    />
  );
}

/**
 * Averages and percentiles of a bucket can be compared with the threshold. Counts and sums of a window cannot be
 * compared with those of an hour.
 */
function boundOf({ kind, aggregate, value }: RuleDraft): number | null {
  const isDrawn = kind === 'threshold' && aggregate !== 'count' && aggregate !== 'sum';
  return isDrawn && value !== '' && Number.isFinite(Number(value)) ? Number(value) : null;
}

interface TriedProps {
  readonly result: Schemas['BacktestResponse'];
  readonly windowSeconds: number;
}

function Tried({ result, windowSeconds }: TriedProps) {
  const { firings } = result;
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600} role="status">
        {firings.length === 0
          ? 'It would not have fired.'
          : `It would have fired ${whole(firings.length)} ${firings.length === 1 ? 'time' : 'times'}.`}
      </Text>
      <Text size="xs" c="dimmed">
        {whole(result.evaluations)} evaluations
        {result.step_seconds !== null && `, one each ${result.step_seconds} s`}
        {result.truncated && '; there was more than could be looked at'}
        {result.step_seconds !== null && result.step_seconds > windowSeconds && '; shorter peaks may be missed'}
      </Text>
      {firings.length > 0 && (
        <ScrollArea.Autosize
          mah={240}
          type="auto"
          viewportProps={{ tabIndex: 0, 'aria-label': 'Firings', role: 'region' }}
        >
          <Table>
            <Table.Tbody>
              {firings.slice(0, SHOWN).map((each, index) => (
                <Table.Tr key={`${each.at} ${index}`}>
                  <Table.Td style={{ whiteSpace: 'nowrap' }}>
                    <Moment at={each.at} />
                  </Table.Td>
                  <Table.Td>{each.reason}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea.Autosize>
      )}
    </Stack>
  );
}
