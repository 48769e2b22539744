import { Button, Card, Group, ScrollArea, SegmentedControl, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { measuredSeries, rulePreview, type RuleToPreview } from '../../../api/alerting.js';
import type { ReadAt } from '../../../api/read-at.js';
import { OPERATORS } from '../../../api/roles.js';
import { useMay } from '../../../api/use-may.js';
import { Failure } from '../../../parts/failures.js';
import { Moment } from '../../../parts/moment.js';
import { numbered } from '../../../parts/numbers.js';
import { PREVIEW_RANGES, type RuleSearch } from '../../../routes/alerting.js';
import { Misspelt } from '../filters/filter.js';
import { AGGREGATES, requestOf, type RuleDraft } from './draft.js';
import { bandsOf, type Measure, measureOf } from './measure.js';
import { RuleChart } from './rule-chart.js';

type Range = (typeof PREVIEW_RANGES)[number];
type Previewed = Schemas['AlertRulePreviewResponse'];

interface Props {
  readonly projectId: string;
  readonly draft: RuleDraft;
  readonly range: RuleSearch['past'];
  readonly onRange: (range: RuleSearch['past']) => void;
  /** Why the caller may not preview a rule. Undefined when they may. */
  readonly refusal: string | undefined;
}

/** The service answers about twenty such queries a minute, so the query is sent when typing has stopped. */
const TYPING_MS = 1_200;
const HOURS: Readonly<Record<Range, number>> = { '2h': 2, '24h': 24, '7d': 168 };
const SHOWN = 50;

/** Shows the number that the rule evaluates, and when the rule would have fired, also before it is saved. */
export function Preview({ projectId, draft, range = '24h', onRange, refusal }: Props) {
  const [to, setTo] = useState(Date.now);
  const from = to - HOURS[range] * 3_600_000;
  const [settled] = useDebouncedValue(draft, TYPING_MS);
  const measure = useMemo(() => measureOf(settled, { from, to }), [settled, from, to]);
  const rule = useMemo(() => previewed(settled), [settled]);
  const mayTry = useMay(projectId, OPERATORS);
  const series = useQuery({ ...measuredSeries(projectId, (measure ?? NOTHING).series), enabled: measure !== null });
  const tried = useQuery({
    ...rulePreview(projectId, rule ?? NO_RULE, new Date(from).toISOString(), new Date(to).toISOString()),
    enabled: rule !== null && mayTry,
  });
  return (
    <Card withBorder component="section" aria-label="Preview">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h5">
            Preview
          </Title>
          <SegmentedControl
            size="xs"
            aria-label="Time range of the preview"
            data={PREVIEW_RANGES.map((value) => ({ value, label: LABELS[value] }))}
            value={range}
            onChange={(next) => onRange(next === '24h' ? undefined : next)}
          />
        </Group>
        {series.data === undefined && series.error === null && measure !== null && <Skeleton height={220} />}
        <Failure error={series.error} title="The chart could not be read" />
        {series.data !== undefined && measure !== null && (
          <Drawn answers={series.data} measure={measure} draft={settled} result={tried.data} end={to} />
        )}
        <Failure error={tried.error} title="The rule could not be previewed" />
        {refusal !== undefined && (
          <Text size="sm" c="dimmed">
            {refusal}, to preview a rule.
          </Text>
        )}
        {tried.isFetching && (
          <Text size="sm" c="dimmed" role="status">
            Running the rule over stored events …
          </Text>
        )}
        {tried.data !== undefined && <Tried result={tried.data} windowSeconds={settled.windowSeconds} />}
        <Button variant="default" size="xs" style={{ alignSelf: 'flex-start' }} onClick={() => setTo(Date.now())}>
          Refresh
        </Button>
      </Stack>
    </Card>
  );
}

const LABELS: Readonly<Record<Range, string>> = { '2h': '2 hours', '24h': '24 hours', '7d': '7 days' };
const NOTHING: Pick<Measure, 'series'> = {
  series: { from_ts: '', to_ts: '', interval: 'hour', aggregates: [] },
};
const NO_RULE: RuleToPreview = { name: '', condition: { kind: 'match' } };
/** The reasons of firings begin with the name of the rule. */
const NAME = 'Preview';
const NO_FIRINGS: Previewed['firings'] = [];

/**
 * Returns the members of a rule that decide when it fires. A rule without a name can be previewed.
 * @returns null when the draft is not complete
 */
function previewed(draft: RuleDraft): RuleToPreview | null {
  try {
    const { severity, condition, group_by, for_seconds, keep_firing_seconds, cooldown_seconds } = requestOf(draft);
    return { name: NAME, severity, condition, group_by, for_seconds, keep_firing_seconds, cooldown_seconds };
  } catch (error) {
    if (error instanceof Misspelt) return null;
    throw error;
  }
}

interface DrawnProps {
  readonly answers: readonly ReadAt<Schemas['TimeseriesResponse']>[];
  readonly measure: Measure;
  readonly draft: RuleDraft;
  /** Undefined until it is known when the rule would have fired. */
  readonly result: Previewed | undefined;
  /** The end of the chart, in milliseconds since 1970. */
  readonly end: number;
}

function Drawn({ answers, measure, draft, result, end }: DrawnProps) {
  const { kind, forSeconds, keepFiringSeconds } = draft;
  // Such a rule has no end of its own: it fires at single events until people resolve its alert.
  const isMoment = (kind === 'match' || kind === 'anomaly') && forSeconds === 0 && keepFiringSeconds === 0;
  const { barSeconds } = measure;
  const firings = result?.firings ?? NO_FIRINGS;
  const bands = useMemo(() => bandsOf(firings, { isMoment, barSeconds, end }), [firings, isMoment, barSeconds, end]);
  return (
    <RuleChart
      measure={measure}
      answers={answers}
      name={nameOf(draft)}
      label="The number of the rule"
      note={
        result === undefined
          ? 'the times at which it would have fired are not known'
          : `it would have fired ${numbered(result.firings.length, 'time')}`
      }
      bands={bands}
    />
  );
}

/** Returns the name of the number that a rule evaluates. */
export function nameOf({ kind, aggregate }: RuleDraft): string {
  const isMeasured = kind === 'threshold' || kind === 'rate_of_change';
  return (isMeasured ? AGGREGATES.find(({ value }) => value === aggregate)?.label : undefined) ?? 'Events';
}

interface TriedProps {
  readonly result: Previewed;
  readonly windowSeconds: number;
}

function Tried({ result, windowSeconds }: TriedProps) {
  const { firings } = result;
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600} role="status">
        {firings.length === 0 ? 'It would not have fired.' : `It would have fired ${numbered(firings.length, 'time')}.`}
      </Text>
      <Text size="xs" c="dimmed">
        {numbered(result.evaluations, 'evaluation')}
        {result.step_seconds !== null && `, one each ${result.step_seconds} s`}
        {result.truncated && '; there were more events than it could read'}
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
                  <Table.Td>{each.reason.replace(`${NAME}: `, '')}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea.Autosize>
      )}
    </Stack>
  );
}
