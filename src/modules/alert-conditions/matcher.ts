import {
  type Comparison,
  type FilterNode,
  type FilterSubject,
  isComparison,
  pathOfProperty,
  propertyAt,
} from './filter.js';
import { TextPattern } from './patterns/text-pattern.js';
import { TextSearch } from './text-search.js';

/** Is told what the parts of a filter cost, and may throw before one that costs too much for now. */
export interface Meter {
  /** A comparison that costs next to nothing. */
  plain(): void;
  /** @param part the same for the same search of the same filter */
  search(part: object, steps: number, look: () => boolean): boolean;
}

/** Whether a subject fits a filter; made once, used for each subject. */
export type Matcher = (subject: FilterSubject, meter?: Meter) => boolean;

type Test = (value: unknown, meter?: Meter) => boolean;
/** Something that is looked for in texts. */
interface Search {
  isIn: (text: string) => boolean;
  stepsIn: (text: string) => number;
}

/**
 * Compiles a filter that was read before. Comparisons are typed: text never equals a number. A missing field (left out,
 * or null) fits `ne` and `exists` false, and nothing else; so `ne` is the opposite of `eq` everywhere.
 */
export function compileFilter(filter: FilterNode): Matcher {
  if (isComparison(filter)) return compileComparison(filter);
  const parts: Matcher[] = (filter.all ?? []).map(compileFilter);
  if (filter.any) {
    const options = filter.any.map(compileFilter);
    parts.push((subject, meter) => options.some((fits) => fits(subject, meter)));
  }
  if (filter.not) {
    const excluded = compileFilter(filter.not);
    parts.push((subject, meter) => !excluded(subject, meter));
  }
  const [first] = parts;
  if (first && parts.length === 1) return first;
  return (subject, meter) => parts.every((fits) => fits(subject, meter));
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
  return (subject, meter) => {
    meter?.plain();
    return test(read(subject), meter);
  };
}

/** Tests whether a text holds what is searched for; other values do not. */
function holding(search: Search): Test {
  return (value, meter) => {
    if (typeof value !== 'string') return false;
    return meter === undefined
      ? search.isIn(value)
      : meter.search(search, search.stepsIn(value), () => search.isIn(value));
  };
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
      const inText: Test = typeof wanted === 'string' ? holding(new TextSearch(wanted)) : () => false;
      return (value, meter) => (Array.isArray(value) ? isAmong(comparison, value, meter) : inText(value, meter));
    }
    case 'starts_with':
      return (value) => typeof value === 'string' && value.startsWith(comparison.value);
    case 'matches': {
      return holding(new TextPattern(comparison.value));
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

function isAmong(part: Comparison, values: readonly unknown[], meter: Meter | undefined): boolean {
  const look = (): boolean => values.includes(part.value);
  return meter === undefined ? look() : meter.search(part, values.length, look);
}
