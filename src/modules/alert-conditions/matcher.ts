import {
  type Comparison,
  type FilterNode,
  type FilterSubject,
  isComparison,
  pathOfProperty,
  propertyAt,
} from './filter.js';
import { TextPattern } from './patterns/text-pattern.js';

/** Whether a subject fits a filter; made once, used for each subject. */
export type Matcher = (subject: FilterSubject) => boolean;

type Test = (value: unknown) => boolean;

/**
 * Compiles a filter that was read before. Comparisons are typed: text never equals a number. A missing field (left out,
 * or null) fits `ne` and `exists` false, and nothing else; so `ne` is the opposite of `eq` everywhere.
 */
export function compileFilter(filter: FilterNode): Matcher {
  if (isComparison(filter)) return compileComparison(filter);
  const parts: Matcher[] = (filter.all ?? []).map(compileFilter);
  if (filter.any) {
    const options = filter.any.map(compileFilter);
    parts.push((subject) => options.some((fits) => fits(subject)));
  }
  if (filter.not) {
    const excluded = compileFilter(filter.not);
    parts.push((subject) => !excluded(subject));
  }
  const [first] = parts;
  if (first && parts.length === 1) return first;
  return (subject) => parts.every((fits) => fits(subject));
}

/** The value of a field of a subject; null where it is missing. */
export function readField(field: string): (subject: FilterSubject) => unknown {
  const path = pathOfProperty(field);
  return ({ fields, properties }) => {
    if (Object.hasOwn(fields, field)) return fields[field] ?? null;
    return path === null ? null : (propertyAt(properties, path) ?? null);
  };
}

function compileComparison(comparison: Comparison): Matcher {
  const read = readField(comparison.field);
  const test = testOf(comparison);
  return (subject) => test(read(subject));
}

function testOf(comparison: Comparison): Test {
  switch (comparison.op) {
    case 'eq':
      return (value) => value === comparison.value;
    case 'ne':
      return (value) => value !== comparison.value;
    case 'in': {
      const values = new Set<unknown>(comparison.value);
      return (value) => values.has(value);
    }
    case 'contains': {
      const { value: wanted } = comparison;
      return (value) =>
        typeof value === 'string'
          ? typeof wanted === 'string' && value.includes(wanted)
          : Array.isArray(value) && value.includes(wanted);
    }
    case 'starts_with':
      return (value) => typeof value === 'string' && value.startsWith(comparison.value);
    case 'matches': {
      const pattern = new TextPattern(comparison.value);
      return (value) => typeof value === 'string' && pattern.matches(value);
    }
    case 'gt':
      return (value) => typeof value === 'number' && value > comparison.value;
    case 'gte':
      return (value) => typeof value === 'number' && value >= comparison.value;
    case 'lt':
      return (value) => typeof value === 'number' && value < comparison.value;
    case 'lte':
      return (value) => typeof value === 'number' && value <= comparison.value;
    case 'exists':
      return (value) => (value !== null && value !== undefined) === comparison.value;
  }
}
