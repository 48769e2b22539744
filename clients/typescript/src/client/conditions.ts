import type { Schemas } from './contract.js';

/** What a silence or a part of a condition tests. */
type Filter = Schemas['EventFilter'] | Schemas['FindingFilter'] | Schemas['SilenceFilter'];
type Comparison = Exclude<Filter, { readonly all?: unknown }>;
type Condition = Schemas['AlertCondition'];
/** By the name of a member whether a value may be what it holds. */
type Members<Kind> = { readonly [Name in Kind as keyof Name & string]?: (value: unknown) => boolean };

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
const isAbsentOr =
  (isIt: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || isIt(value);

/** What each operator compares with. */
const VALUES: { readonly [Op in Comparison['op']]: (value: unknown) => boolean } = {
  eq: isScalar,
  ne: isScalar,
  in: (value) => Array.isArray(value) && value.every(isScalar),
  contains: isScalar,
  starts_with: isText,
  matches: isText,
  gt: isNumber,
  gte: isNumber,
  lt: isNumber,
  lte: isNumber,
  exists: isAbsentOr((value) => typeof value === 'boolean'),
};

const MEASURED = {
  window_seconds: isNumber,
  aggregate: isText,
  aggregate_field: isAbsentOr((value) => value === null || isText(value)),
};
/** What each kind has beside its filter. */
const KINDS: { readonly [Kind in Condition['kind']]: Members<Extract<Condition, { kind: Kind }>> } = {
  match: {},
  threshold: { ...MEASURED, op: isText, value: isNumber },
  rate_of_change: { ...MEASURED, compare_seconds: isNumber, direction: isText, percent: isNumber },
  absence: { window_seconds: isNumber },
  anomaly: {
    finding_kinds: isAbsentOr((value) => Array.isArray(value) && value.every(isText)),
    min_severity: isAbsentOr(isText),
  },
};

/**
 * Whether the condition of a rule has the form that conditions have today. One that an earlier version took may have
 * another; such a rule fails, and its `last_error` says why.
 *
 *     if (isCondition(rule.condition) && rule.condition.kind === 'threshold') rule.condition.window_seconds;
 */
export function isCondition(stored: Schemas['StoredAlertCondition']): stored is Condition {
  const { kind } = stored;
  if (typeof kind !== 'string' || !Object.hasOwn(KINDS, kind)) return false;
  const members = Object.entries(KINDS[kind as Condition['kind']]) as [string, (value: unknown) => boolean][];
  return members.every(([name, isIt]) => isIt((stored as Record<string, unknown>)[name])) && hasFilters(stored);
}

/** Whether the filter of a silence has the form that filters have today; else its `filter_error` says what it lacks. */
export function isFilter(stored: Schemas['StoredSilenceFilter']): stored is Schemas['SilenceFilter'] {
  return isPart(stored);
}

function isPart(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const { field, op, value, all, any, not } = part as Readonly<Record<string, unknown>>;
  const isGroup = all !== undefined || any !== undefined || not !== undefined;
  if (op === undefined && field === undefined) return isGroup && hasFilters(part);
  const isKnown = typeof op === 'string' && Object.hasOwn(VALUES, op);
  return !isGroup && isText(field) && isKnown && VALUES[op as Comparison['op']](value);
}

/** Those of a group, which stand beside other members in a condition. */
function hasFilters(group: object): boolean {
  const { all, any, not } = group as Readonly<Record<string, unknown>>;
  const areParts = isAbsentOr((list) => Array.isArray(list) && list.length > 0 && list.every(isPart));
  return areParts(all) && areParts(any) && isAbsentOr(isPart)(not);
}
