import { byLowerName } from '../protocol/members.js';
import { invalidFilter } from '../protocol/scim-fault.js';
import type { AttributePath, Comparison, Filter, FilterValue } from './filter.js';

/** Returns whether an element of a multi-valued attribute matches a filter on its sub-attributes. */
export function matchesElement(element: object, filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matchesElement(element, part));
    case 'or':
      return filter.parts.some((part) => matchesElement(element, part));
    case 'not':
      return !matchesElement(element, filter.part);
    case 'present':
      return isPresent(valueOf(element, filter.path));
    case 'compare':
      return compares(valueOf(element, filter.path), filter.operator, filter.value);
    case 'element':
      throw invalidFilter('A filter in brackets cannot have brackets');
  }
}

/** Returns the values that a filter of nothing but `eq` and `and` demands, by sub-attribute, or null for other filters. */
export function demandedBy(filter: Filter): Record<string, FilterValue> | null {
  if (filter.kind === 'compare' && filter.operator === 'eq' && filter.path.sub === null)
    return { [filter.path.attribute]: filter.value };
  if (filter.kind !== 'and') return null;
  const parts = filter.parts.map(demandedBy);
  return parts.includes(null) ? null : (Object.assign({}, ...parts) as Record<string, FilterValue>);
}

/** Returns the texts of `value eq "…"`, joined by `or`, or null for other filters. */
export function namedValues(filter: Filter): string[] | null {
  if (filter.kind === 'compare') {
    const { path, operator, value } = filter;
    const isNamed = operator === 'eq' && path.attribute === 'value' && path.sub === null && typeof value === 'string';
    return isNamed ? [value] : null;
  }
  if (filter.kind !== 'or') return null;
  const parts = filter.parts.map(namedValues);
  return parts.includes(null) ? null : parts.flatMap((values) => values ?? []);
}

function valueOf(element: object, { attribute, sub }: AttributePath): unknown {
  if (sub !== null) throw invalidFilter('A filter in brackets names sub-attributes only');
  return byLowerName(element).get(attribute);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function compares(found: unknown, operator: Comparison, wanted: FilterValue): boolean {
  const [left, right] = [folded(found ?? null), folded(wanted)];
  if (operator === 'eq') return left === right;
  if (operator === 'ne') return left !== right;
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  switch (operator) {
    case 'co':
      return left.includes(right);
    case 'sw':
      return left.startsWith(right);
    case 'ew':
      return left.endsWith(right);
    case 'gt':
      return left > right;
    case 'ge':
      return left >= right;
    case 'lt':
      return left < right;
    case 'le':
      return left <= right;
  }
}

function folded(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}
