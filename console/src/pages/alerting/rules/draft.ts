import { isCondition, type Schemas } from '@operational-events/client';
import { durationOf } from '../../../parts/durations.js';
import { inWords } from '../../../parts/words.js';
import { draftOf, type FilterDraft, filterInWords, groupOf, Misspelt, NO_FILTER } from '../filters/filter.js';

type Rule = Schemas['AlertRuleResponse'];
type Condition = Schemas['AlertCondition'];
export type Kind = Condition['kind'];

/** A rule while it is edited. */
export interface RuleDraft {
  readonly name: string;
  readonly severity: Schemas['Severity'];
  readonly kind: Kind;
  readonly filter: FilterDraft;
  readonly windowSeconds: number;
  readonly aggregate: Schemas['ConditionAggregate'];
  readonly aggregateField: string;
  readonly op: Schemas['ConditionComparator'];
  readonly value: number | string;
  readonly compareSeconds: number;
  readonly direction: Schemas['ChangeDirection'];
  readonly percent: number | string;
  readonly findingKinds: readonly Schemas['FindingKind'][];
  readonly minSeverity: Schemas['Severity'];
  readonly groupBy: readonly string[];
  readonly forSeconds: number;
  readonly keepFiringSeconds: number;
  readonly cooldownSeconds: number;
  readonly destinationIds: readonly string[];
  readonly channelIds: readonly string[];
  readonly runbookUrl: string;
  readonly notes: string;
}

export const NEW_RULE: RuleDraft = {
  name: '',
  severity: 'warning',
  kind: 'match',
  filter: { mode: 'all', lines: [{ field: 'event', op: 'eq', value: '' }] },
  windowSeconds: 300,
  aggregate: 'count',
  aggregateField: '',
  op: 'gte',
  value: 10,
  compareSeconds: 3_600,
  direction: 'both',
  percent: 50,
  findingKinds: [],
  minSeverity: 'warning',
  groupBy: [],
  forSeconds: 0,
  keepFiringSeconds: 0,
  cooldownSeconds: 300,
  destinationIds: [],
  channelIds: [],
  runbookUrl: '',
  notes: '',
};

/** @returns null for a condition that this version no longer accepts */
export function draftOfRule(rule: Rule): RuleDraft | null {
  const { condition } = rule;
  if (!isCondition(condition)) return null;
  return {
    ...NEW_RULE,
    ...membersOf(condition),
    name: rule.name,
    severity: rule.severity,
    kind: condition.kind,
    filter: draftOf(condition),
    groupBy: rule.group_by,
    forSeconds: rule.for_seconds,
    keepFiringSeconds: rule.keep_firing_seconds,
    cooldownSeconds: rule.cooldown_seconds,
    destinationIds: rule.destination_ids,
    channelIds: rule.channel_ids,
    runbookUrl: rule.runbook_url ?? '',
    notes: rule.notes ?? '',
  };
}

function membersOf(condition: Condition): Partial<RuleDraft> {
  switch (condition.kind) {
    case 'match':
      return {};
    case 'absence':
      return { windowSeconds: condition.window_seconds };
    case 'threshold':
      return { ...measuredOf(condition), op: condition.op, value: condition.value };
    case 'rate_of_change':
      return {
        ...measuredOf(condition),
        compareSeconds: condition.compare_seconds,
        direction: condition.direction,
        percent: condition.percent,
      };
    case 'anomaly':
      return { findingKinds: condition.finding_kinds ?? [], minSeverity: condition.min_severity ?? 'warning' };
  }
}

function measuredOf(condition: Schemas['ThresholdCondition'] | Schemas['RateOfChangeCondition']): Partial<RuleDraft> {
  return {
    windowSeconds: condition.window_seconds,
    aggregate: condition.aggregate,
    aggregateField: condition.aggregate_field ?? '',
  };
}

export function takesField(aggregate: RuleDraft['aggregate']): boolean {
  return aggregate !== 'count' && aggregate !== 'error_rate';
}

/** @throws Misspelt */
function conditionOf(draft: RuleDraft): Condition {
  const group = groupOf(draft.kind === 'anomaly' || hasParts(draft.filter) ? draft.filter : NO_FILTER) as object;
  const measured = {
    window_seconds: draft.windowSeconds,
    aggregate: draft.aggregate,
    ...(takesField(draft.aggregate) && { aggregate_field: draft.aggregateField.trim() }),
  };
  switch (draft.kind) {
    case 'match':
      return { kind: 'match', ...group };
    case 'absence':
      return { kind: 'absence', window_seconds: draft.windowSeconds, ...group };
    case 'threshold':
      return { kind: 'threshold', ...measured, op: draft.op, value: numberOf('The threshold', draft.value), ...group };
    case 'rate_of_change':
      return {
        kind: 'rate_of_change',
        ...measured,
        compare_seconds: draft.compareSeconds,
        direction: draft.direction,
        percent: numberOf('The change', draft.percent),
        ...group,
      };
    case 'anomaly':
      return {
        kind: 'anomaly',
        ...(draft.findingKinds.length > 0 && { finding_kinds: [...draft.findingKinds] }),
        min_severity: draft.minSeverity,
        ...group,
      };
  }
}

function hasParts(filter: FilterDraft): boolean {
  return filter.mode === 'written' || filter.lines.length > 0;
}

function numberOf(what: string, typed: number | string): number {
  if (typed === '' || !Number.isFinite(Number(typed))) throw new Misspelt(`${what} is a number`);
  return Number(typed);
}

/** Returns the request that saves the rule. @throws Misspelt */
export function requestOf(draft: RuleDraft) {
  return {
    name: draft.name.trim(),
    severity: draft.severity,
    condition: conditionOf(draft),
    group_by: draft.kind === 'anomaly' ? [] : [...draft.groupBy],
    for_seconds: draft.forSeconds,
    keep_firing_seconds: draft.keepFiringSeconds,
    cooldown_seconds: draft.cooldownSeconds,
    destination_ids: [...draft.destinationIds],
    channel_ids: [...draft.channelIds],
    runbook_url: draft.runbookUrl.trim() || null,
    notes: draft.notes.trim() || null,
  };
}

/** Describes a condition in words, if this version accepts it. */
export function conditionInWords(stored: Schemas['StoredAlertCondition']): string {
  if (!isCondition(stored)) return 'A condition of an earlier version';
  const filter = filterInWords(stored);
  const of = filter === '' ? 'any event' : `events where ${filter}`;
  switch (stored.kind) {
    case 'match':
      return `Fires on ${of}`;
    case 'absence':
      return `No ${filter === '' ? 'event' : of} for ${durationOf(stored.window_seconds)}`;
    case 'threshold':
      return `${measureInWords(stored)} of ${of} over ${durationOf(stored.window_seconds)} ${COMPARATORS[stored.op]} ${stored.value}`;
    case 'rate_of_change': {
      const { direction, percent, compare_seconds } = stored;
      const moved = { up: 'rises by', down: 'falls by', both: 'moves by' }[direction];
      return `${measureInWords(stored)} of ${of} ${moved} ${percent} % compared with ${durationOf(compare_seconds)} before`;
    }
    case 'anomaly': {
      const kinds = stored.finding_kinds?.map(inWords).join(', ') ?? 'any kind';
      return `Findings of ${kinds}, from ${stored.min_severity ?? 'warning'} on${filter === '' ? '' : `, where ${filter}`}`;
    }
  }
}

function measureInWords({
  aggregate,
  aggregate_field,
}: {
  readonly aggregate: Schemas['ConditionAggregate'];
  readonly aggregate_field?: string | null;
}): string {
  const name = AGGREGATES.find(({ value }) => value === aggregate)?.label ?? aggregate;
  return takesField(aggregate) ? `${name} of ${aggregate_field ?? ''}` : name;
}

export const AGGREGATES: readonly { readonly value: Schemas['ConditionAggregate']; readonly label: string }[] = [
  { value: 'count', label: 'Count' },
  { value: 'error_rate', label: 'Error rate' },
  { value: 'sum', label: 'Sum' },
  { value: 'avg', label: 'Average' },
  { value: 'min', label: 'Minimum' },
  { value: 'max', label: 'Maximum' },
  { value: 'p50', label: 'p50' },
  { value: 'p95', label: 'p95' },
  { value: 'p99', label: 'p99' },
];

export const COMPARATORS: Readonly<Record<Schemas['ConditionComparator'], string>> = {
  gt: 'is above',
  gte: 'is at least',
  lt: 'is below',
  lte: 'is at most',
  eq: 'is',
  ne: 'is not',
};
