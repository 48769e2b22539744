import type { FilterGroup, FilterPart } from './filter.js';

/**
 * Returns a filter of a rule as a condition in EQL, so that a series of the matching events can be drawn. A missing
 * field matches only `ne` and `exists` false, which the condition must state explicitly.
 * @returns undefined when every event matches
 */
export function eqlOf(group: FilterGroup): string | undefined {
  const parts = partsOf(group);
  return parts.length === 0 ? undefined : parts.join(' and ');
}

function partsOf({ all = [], any = [], not }: FilterGroup): string[] {
  return [
    ...all.map(written),
    ...(any.length === 0 ? [] : [`(${any.map(written).join(' or ')})`]),
    ...(not === undefined ? [] : [`not (${written(not)})`]),
  ];
}

function written(part: FilterPart): string {
  if (!('field' in part)) return `(${partsOf(part).join(' and ') || 'true'})`;
  const { op, value } = part;
  const field = nameOf(part.field);
  const list = (Array.isArray(value) ? value : [value]).map(literalOf).join(', ');
  switch (op) {
    case 'exists':
      return `${field} ${value === false ? '==' : '!='} null`;
    case 'ne':
      return `(${field} == null or ${field} != ${list})`;
    case 'eq':
      return there(field, `${field} == ${list}`);
    case 'in':
      return there(field, `${field} in (${list})`);
    case 'contains':
      return there(field, typeof value === 'string' ? `stringContains(${field}, ${list})` : `${field} == ${list}`);
    case 'starts_with':
      return there(field, `startsWith(${field}, ${list})`);
    case 'matches':
      return there(field, `${field} regex ${literalOf(`(.|\\n)*(${String(value)})(.|\\n)*`)}`);
    case 'gt':
      return there(field, `${field} > ${list}`);
    case 'gte':
      return there(field, `${field} >= ${list}`);
    case 'lt':
      return there(field, `${field} < ${list}`);
    case 'lte':
      return there(field, `${field} <= ${list}`);
  }
}

function there(field: string, test: string): string {
  return `(${field} != null and ${test})`;
}

function literalOf(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** Names of properties may be keywords or contain special characters. Names of the service's own fields never do. */
function nameOf(field: string): string {
  if (!field.startsWith('properties.')) return field;
  const [first, ...rest] = field.split('.');
  return `${first}${rest.map((each) => (/^\d+$/.test(each) ? `[${each}]` : `.\`${each}\``)).join('')}`;
}
