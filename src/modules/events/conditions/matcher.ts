import {
  exactPropertyAt,
  type FilterNode,
  type FilterSubject,
  isComparison,
  pathOfProperty,
  propertyAt,
} from './filter.js';
import { type Comparison, type OperatorName, OPERATORS } from './operators/registry.js';
import type { Meter } from './operators/search.js';

/** Returns whether a subject matches a filter. A matcher is compiled once and used for every subject. */
export type Matcher = (subject: FilterSubject, meter?: Meter) => boolean;

/**
 * Compiles a filter that was read and checked. Comparisons are typed: text never equals a number. A missing field (left
 * out, or null) matches only `ne` and `exists` false, so `ne` is always the opposite of `eq`.
 * @param projectId the project of the filter, whose share of the machine pool its patterns use
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

/** Returns a reader of a field of a subject. The reader returns null when the field is missing. */
export function readField(field: string): (subject: FilterSubject) => unknown {
  return readerOf(field, propertyAt);
}

/** Returns the same as {@link readField}, but the reader keeps all digits of a number. */
export function readExactField(field: string): (subject: FilterSubject) => unknown {
  return readerOf(field, exactPropertyAt);
}

function readerOf(field: string, valueAt: typeof propertyAt): (subject: FilterSubject) => unknown {
  const path = pathOfProperty(field);
  return ({ fields, properties }) => {
    if (Object.hasOwn(fields, field)) return fields[field] ?? null;
    return path === null ? null : (valueAt(properties, path) ?? null);
  };
}

function compileComparison<Name extends OperatorName>(
  { field, op, value: operand }: Comparison<Name>,
  projectId: string,
): Matcher {
  const read = readField(field);
  const test = OPERATORS[op].test(operand, projectId);
  return (subject, meter) => {
    meter?.plain();
    return test(read(subject), meter);
  };
}
