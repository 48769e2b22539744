import type { Schemas } from '@operational-events/client';

/** A filter while it is edited: a list of comparisons, or JSON when the filter is nested. */
export type FilterDraft =
  | { readonly mode: 'all' | 'any'; readonly lines: readonly FilterLine[] }
  | { readonly mode: 'written'; readonly text: string };

export interface FilterLine {
  readonly field: string;
  readonly op: Op;
  /** The text as it is typed. */
  readonly value: string;
}

export type Op = Schemas['EventComparison']['op'];

/** The members of a filter. Conditions have them next to their other members. */
export interface FilterGroup {
  readonly all?: readonly FilterPart[];
  readonly any?: readonly FilterPart[];
  readonly not?: FilterPart;
}
interface Comparison {
  readonly field: string;
  readonly op: Op;
  readonly value?: unknown;
}
export type FilterPart = Comparison | FilterGroup;

export const OPS: readonly { readonly value: Op; readonly label: string }[] = [
  { value: 'eq', label: 'is' },
  { value: 'ne', label: 'is not' },
  { value: 'in', label: 'is one of' },
  { value: 'contains', label: 'contains' },
  { value: 'starts_with', label: 'starts with' },
  { value: 'matches', label: 'matches' },
  { value: 'gt', label: 'is above' },
  { value: 'gte', label: 'is at least' },
  { value: 'lt', label: 'is below' },
  { value: 'lte', label: 'is at most' },
  { value: 'exists', label: 'exists' },
];

export const EVENT_FIELDS = [
  'event',
  'source',
  'severity',
  'status',
  'environment',
  'message',
  'log.method',
  'log.endpoint',
  'log.status',
  'log.latency_ms',
  'log.status_class',
  'log.route',
  'source_id',
  'external_event_id',
] as const;
export const SILENCE_FIELDS = [...EVENT_FIELDS, 'rule_name', 'alert_rule_id', 'fingerprint'] as const;
export const FINDING_FIELDS = [
  'kind',
  'severity',
  'series_type',
  'series_value',
  'metric',
  'score',
  'actual',
  'expected',
] as const;

const NUMBER_FIELDS: readonly string[] = ['log.status', 'log.latency_ms', 'score', 'actual', 'expected'];
const NUMBER_OPS: readonly Op[] = ['gt', 'gte', 'lt', 'lte'];
const TEXT_OPS: readonly Op[] = ['starts_with', 'matches'];

/** The input is invalid. The message is written for people. */
export class Misspelt extends Error {
  override readonly name = 'Misspelt';
}

export const NO_FILTER: FilterDraft = { mode: 'all', lines: [] };

/** For a property, `100` is a number and `"100"` is text. The service's own fields have a known type. */
function scalarOf(field: string, op: Op, typed: string): string | number | boolean {
  const text = typed.trim();
  if (NUMBER_OPS.includes(op) || NUMBER_FIELDS.includes(field)) {
    const number = Number(text);
    if (text === '' || !Number.isFinite(number)) throw new Misspelt(`${field} is compared with a number`);
    return number;
  }
  if (TEXT_OPS.includes(op) || !field.startsWith('properties.')) return typed;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  } catch {
    // Text that is no JSON is text.
  }
  return typed;
}

function typedOf(field: string, value: unknown): string {
  if (typeof value !== 'string') return String(value);
  // Text that would be read as another type keeps its quotes.
  return field.startsWith('properties.') && /^(-?\d|true$|false$|")/.test(value) ? JSON.stringify(value) : value;
}

function comparisonOf({ field, op, value }: FilterLine): Comparison {
  if (field.trim() === '') throw new Misspelt('Each comparison needs a field');
  if (op === 'exists') return { field, op, value: value !== 'false' };
  if (op !== 'in') return { field, op, value: scalarOf(field, op, value) };
  const parts = value.split(',').map((each) => each.trim());
  return { field, op, value: parts.filter((each) => each !== '').map((each) => scalarOf(field, op, each)) };
}

/** @throws Misspelt */
export function groupOf(draft: FilterDraft): FilterGroup {
  if (draft.mode !== 'written') {
    return draft.lines.length === 0 ? {} : { [draft.mode]: draft.lines.map(comparisonOf) };
  }
  if (draft.text.trim() === '') return {};
  let written: unknown;
  try {
    written = JSON.parse(draft.text);
  } catch {
    throw new Misspelt('The filter is not valid JSON');
  }
  if (typeof written !== 'object' || written === null || Array.isArray(written))
    throw new Misspelt('The filter is an object with all, any or not');
  return 'field' in written ? { all: [written as Comparison] } : written;
}

export function draftOf({ all, any, not }: FilterGroup): FilterDraft {
  const [mode, parts] = all === undefined ? (['any', any ?? []] as const) : (['all', all] as const);
  const isList =
    not === undefined && (all === undefined || any === undefined) && parts.every((each) => 'field' in each);
  if (!isList) return { mode: 'written', text: JSON.stringify({ all, any, not }, null, 2) };
  if (parts.length === 0) return NO_FILTER;
  return {
    mode,
    lines: parts.map(({ field, op, value }) => ({
      field,
      op,
      value:
        op === 'exists'
          ? String(value !== false)
          : Array.isArray(value)
            ? value.map((each) => typedOf(field, each)).join(', ')
            : typedOf(field, value),
    })),
  };
}

/** Describes a filter in words. */
export function filterInWords(part: FilterPart): string {
  if ('field' in part) {
    const { field, op, value } = part;
    if (op === 'exists') return `${field} ${value === false ? 'is missing' : 'exists'}`;
    const label = OPS.find((each) => each.value === op)?.label ?? op;
    return `${field} ${label} ${Array.isArray(value) ? value.map(String).join(', ') : String(value)}`;
  }
  const joined = (parts: readonly FilterPart[] | undefined, word: string) =>
    parts === undefined || parts.length === 0
      ? []
      : [parts.map((each) => ('field' in each ? filterInWords(each) : `(${filterInWords(each)})`)).join(` ${word} `)];
  return [
    ...joined(part.all, 'and'),
    ...joined(part.any, 'or'),
    ...(part.not === undefined ? [] : [`not (${filterInWords(part.not)})`]),
  ].join(' and ');
}
