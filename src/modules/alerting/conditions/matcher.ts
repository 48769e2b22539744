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

/** Something that is looked for, in texts or lists. */
export interface Search<T> {
  /** Makes what a search that follows at once needs; tells how many steps that took. Left out: nothing is needed. */
  prepare?(): number;
  /** What the search takes at most, once it is prepared. */
  stepsIn(value: T): number;
  isIn(value: T): boolean;
}

/** Is told what the parts of a filter cost, and may throw before one that costs too much for now. */
export interface Meter {
  /** A comparison that costs next to nothing. */
  plain(): void;
  /** Each search is of one place of one filter, so that it is asked once for a subject. */
  search<T>(search: Search<T>, value: T): boolean;
}

/** Whether a subject fits a filter; made once, used for each subject. */
export type Matcher = (subject: FilterSubject, meter?: Meter) => boolean;

type Test = (value: unknown, meter?: Meter) => boolean;

/**
 * Compiles a filter that was read before. Comparisons are typed: text never equals a number. A missing field (left out,
 * or null) fits `ne` and `exists` false, and nothing else; so `ne` is the opposite of `eq` everywhere.
 * @param projectId whose filter it is, and so whose memory its patterns take
 */
export function compileFilter(filter: FilterNode, projectId: string): Matcher {
  if (isComparison(filter)) return compileComparison(filter, projectId);
  const compiled = (node: FilterNode): Matcher => compileFilter(node, projectId);
  const parts: Matcher[] = (filter.all ?? []).map(compiled);
  if (filter.any) {
    const options = filter.any.map(compiled);
    parts.push((subject, meter) => options.some((fits) => fits(subject, meter)));
  }
  if (filter.not) {
    const excluded = compiled(filter.not);
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

function compileComparison(comparison: Comparison, projectId: string): Matcher {
  const read = readField(comparison.field);
  const test = testOf(comparison, projectId);
  return (subject, meter) => {
    meter?.plain();
    return test(read(subject), meter);
  };
}

function found<T>(search: Search<T>, value: T, meter: Meter | undefined): boolean {
  return meter === undefined ? search.isIn(value) : meter.search(search, value);
}

/** Tests whether a text holds what is searched for; other values do not. */
function holding(search: Search<string>): Test {
  return (value, meter) => typeof value === 'string' && found(search, value, meter);
}

function testOf(comparison: Comparison, projectId: string): Test {
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
      const inList: Search<readonly unknown[]> = {
        stepsIn: ({ length }) => length,
        isIn: (values) => values.includes(wanted),
      };
      return (value, meter) => (Array.isArray(value) ? found(inList, value, meter) : inText(value, meter));
    }
    case 'starts_with':
      return (value) => typeof value === 'string' && value.startsWith(comparison.value);
    case 'matches':
      return holding(new TextPattern(projectId, comparison.value));
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
