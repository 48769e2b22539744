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

/** Whether a subject fits a filter; made once, used for each subject. */
export type Matcher = (subject: FilterSubject, meter?: Meter) => boolean;

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
  return readerOf(field, propertyAt);
}

/** As {@link readField}, with all digits of a number. */
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
