import { invalidFilter } from '../protocol/scim-fault.js';
import type { AttributePath, Comparison, Filter, FilterValue } from './filter.js';

type Matcher = (element: object) => boolean;

/**
 * Returns a function that checks whether an element of a multi-valued attribute matches a filter on its sub-attributes.
 * The names of the element's members must be in lower case.
 * @throws ScimFault invalidFilter
 */
export function elementMatcher(filter: Filter): Matcher {
  switch (filter.kind) {
    case 'and': {
      const parts = filter.parts.map(elementMatcher);
      return (element) => parts.every((matches) => matches(element));
    }
    case 'or': {
      const parts = filter.parts.map(elementMatcher);
      return (element) => parts.some((matches) => matches(element));
    }
    case 'not': {
      const matches = elementMatcher(filter.part);
      return (element) => !matches(element);
    }
    case 'present': {
      const name = nameOf(filter.path);
      return (element) => isPresent(valueOf(element, name));
    }
    case 'compare': {
      const [name, wanted] = [nameOf(filter.path), folded(filter.value)];
      return (element) => compares(folded(valueOf(element, name) ?? null), filter.operator, wanted);
    }
    case 'element':
      throw invalidFilter('A filter in brackets cannot have brackets');
  }
}

/**
 * Returns the required values by sub-attribute, if the filter consists only of `eq` and `and`. Returns null for other
 * filters.
 */
export function demandedBy(filter: Filter): Record<string, FilterValue> | null {
  if (filter.kind === 'compare' && filter.operator === 'eq' && filter.path.sub === null)
    return { [filter.path.attribute]: filter.value };
  if (filter.kind !== 'and') return null;
  const parts = filter.parts.map(demandedBy);
  return parts.includes(null) ? null : (Object.assign({}, ...parts) as Record<string, FilterValue>);
}

/**
 * Returns the texts of a filter that consists only of `value eq "…"`, joined by `or`. Returns null for other filters.
 */
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

function nameOf({ attribute, sub }: AttributePath): string {
  if (sub !== null) throw invalidFilter('A filter in brackets names sub-attributes only');
  return attribute;
}

function valueOf(element: object, name: string): unknown {
  return Object.hasOwn(element, name) ? element[name as keyof typeof element] : undefined;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function compares(left: unknown, operator: Comparison, right: unknown): boolean {
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
