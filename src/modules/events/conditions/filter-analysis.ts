import { type FilterNode, isComparison } from './filter.js';
import { type Comparison, type OperatorName, OPERATORS } from './operators/registry.js';

/** Returns the only event types that can match the filter, or null when any event type may match. */
export function eventTypesOf(filter: FilterNode): readonly string[] | null {
  if (isComparison(filter)) {
    return filter.field === 'event' ? (valuesOf(filter)?.map(String) ?? null) : null;
  }
  const candidates = (filter.all ?? []).map(eventTypesOf);
  if (filter.any) {
    const options = filter.any.map(eventTypesOf);
    if (options.every((types) => types !== null)) candidates.push(options.flat());
  }
  const known = candidates.filter((types) => types !== null);
  // Each set includes all event types that can match, so the smallest set is enough.
  return known.length === 0 ? null : known.reduce((a, b) => (b.length < a.length ? b : a));
}

/** Returns the fields that the filter compares, each once. */
export function fieldsOf(filter: FilterNode): string[] {
  if (isComparison(filter)) return [filter.field];
  const parts = [...(filter.all ?? []), ...(filter.any ?? []), ...(filter.not ? [filter.not] : [])];
  return [...new Set(parts.flatMap(fieldsOf))];
}

/** Returns one exact value for each field, or null when the filter cannot be expressed this way. */
export function exactValuesOf(filter: FilterNode): Readonly<Record<string, string>> | null {
  if (isComparison(filter)) {
    const [value, ...others] = valuesOf(filter) ?? [];
    return typeof value === 'string' && others.length === 0 ? { [filter.field]: value } : null;
  }
  if (filter.any || filter.not) return null;
  const values: Record<string, string> = {};
  for (const part of filter.all ?? []) {
    const exact = exactValuesOf(part);
    if (exact === null) return null;
    for (const [field, value] of Object.entries(exact)) {
      if (Object.hasOwn(values, field) && values[field] !== value) return null;
      values[field] = value;
    }
  }
  return values;
}

/** A regular expression of a filter, and its location in the filter. */
interface PlacedPattern {
  readonly place: readonly (string | number)[];
  readonly source: string;
}

/** Returns the regular expressions of the filter, in the order of the filter. */
export function patternsOf(filter: FilterNode): PlacedPattern[] {
  if (isComparison(filter)) {
    const source = patternOf(filter);
    return source === null ? [] : [{ place: ['value'], source }];
  }
  const below = (place: readonly (string | number)[], node: FilterNode): PlacedPattern[] =>
    patternsOf(node).map((pattern) => ({ ...pattern, place: [...place, ...pattern.place] }));
  return [
    ...(filter.all ?? []).flatMap((node, index) => below(['all', index], node)),
    ...(filter.any ?? []).flatMap((node, index) => below(['any', index], node)),
    ...(filter.not ? below(['not'], filter.not) : []),
  ];
}

function valuesOf<Name extends OperatorName>({ op, value }: Comparison<Name>): readonly unknown[] | null {
  return OPERATORS[op].valuesOf?.(value) ?? null;
}

function patternOf<Name extends OperatorName>({ op, value }: Comparison<Name>): string | null {
  return OPERATORS[op].patternOf?.(value) ?? null;
}
