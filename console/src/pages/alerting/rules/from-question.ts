import { clausesOf, pathOf } from '../../../parts/conditions.js';
import { isObject } from '../../../parts/json.js';
import { type AnalyticsSearch, analyticsSearch } from '../../../routes/insight.js';
import { draftOf, EVENT_FIELDS, type FilterPart } from '../filters/filter.js';
import { AGGREGATES, NEW_RULE, type RuleDraft } from './draft.js';

/** A question that a rule may express: an analysis, or a query in EQL. */
export type RuleQuestion =
  { readonly kind: 'analysis'; readonly search: AnalyticsSearch } | { readonly kind: 'query'; readonly q: string };

/** The question cannot be expressed by a rule. The message says why. */
class Inexpressible extends Error {
  override readonly name = 'Inexpressible';
}

/** Returns a rule that watches what a question shows. @throws Inexpressible */
function ruleOfQuestion(question: RuleQuestion): RuleDraft {
  return question.kind === 'query' ? ruleOfQuery(question.q) : ruleOfAnalysis(question.search);
}

function ruleOfAnalysis({ ask, event, where, aggregate = 'count', field, split }: AnalyticsSearch): RuleDraft {
  if (ask !== undefined && ask !== 'series') throw new Inexpressible('A rule watches one number over time');
  const parts: FilterPart[] = [
    ...(event === undefined ? [] : [{ field: 'event', op: 'eq', value: event } as const]),
    ...clausesOf(where).flatMap(partsOf),
    ...(aggregate === 'errors' ? [{ field: 'log.status', op: 'gte', value: 500 } as const] : []),
  ];
  const measured = aggregate === 'errors' ? 'count' : AGGREGATES.find(({ value }) => value === aggregate)?.value;
  if (measured === undefined) throw new Inexpressible('A rule cannot count different values');
  return {
    ...NEW_RULE,
    kind: 'threshold',
    aggregate: measured,
    aggregateField: field ?? '',
    // Only for numbers of events there is a usual threshold.
    value: measured === 'count' ? NEW_RULE.value : '',
    filter: draftOf({ all: parts }),
    groupBy: split === undefined ? [] : [split],
  };
}

/** An event type, a condition, and pipes that only limit how many events are listed. */
const EVENT_QUERY = /^\s*(any|[A-Za-z_][\w.]*|"[^"\\]*")\s+where\s+([^|]+?)\s*(\|\s*(head|tail)\s+\d+\s*)*$/;

function ruleOfQuery(q: string): RuleDraft {
  const [, category = '', condition = ''] = EVENT_QUERY.exec(q) ?? [];
  if (condition === '') {
    const isOfSeveral = /^\s*(sequence|sample)\b|\|/.test(q.replaceAll(/"(?:\\.|[^"\\])*"/g, ''));
    throw new Inexpressible(
      isOfSeveral
        ? 'A rule watches single events, and no sequences, samples or pipes'
        : 'A rule begins with a query that has an event type, the word “where” and a condition',
    );
  }
  const event = category.replaceAll('"', '');
  const parts: FilterPart[] = [
    ...(event === 'any' ? [] : [{ field: 'event', op: 'eq', value: event } as const]),
    ...(condition === 'true' ? [] : clausesOf(condition).flatMap(partsOf)),
  ];
  return { ...NEW_RULE, kind: 'match', filter: draftOf({ all: parts }) };
}

const OPS = { '==': 'eq', '!=': 'ne', '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' } as const;
const COMPARISON = /^([A-Za-z_][\w.]*)\s*(==|!=|>=|<=|>|<)\s*([^]+)$/;
const FUNCTION = /^startsWith\(\s*([A-Za-z_][\w.]*)\s*,\s*("[^]*")\s*\)$/;

/** Returns a clause in EQL as comparisons of a rule. @throws Inexpressible */
function partsOf(clause: string): FilterPart[] {
  const [, prefixed, prefix] = FUNCTION.exec(clause) ?? [];
  if (prefixed !== undefined)
    return [{ field: nameOf(prefixed), op: 'starts_with', value: literalIn(prefix ?? '', clause) }];
  const [, name = '', operator = '', literal = ''] = COMPARISON.exec(clause) ?? [];
  if (!isOperator(operator)) throw inexpressible(clause);
  const field = nameOf(name);
  const op = OPS[operator];
  if (literal.trim() === 'null' && (op === 'eq' || op === 'ne')) return [{ field, op: 'exists', value: op === 'ne' }];
  const value = literalIn(literal, clause);
  // In EQL a missing field differs from nothing. In a rule it differs from every value.
  return [...(op === 'ne' ? [{ field, op: 'exists', value: true } as const] : []), { field, op, value }];
}

function isOperator(text: string): text is keyof typeof OPS {
  return Object.hasOwn(OPS, text);
}

function nameOf(field: string): string {
  if (field === 'timestamp' || field === '_id') throw new Inexpressible(`A rule cannot compare ${field}`);
  return EVENT_FIELDS.some((each) => each === field) ? field : pathOf(field);
}

function literalIn(text: string, clause: string): string | number | boolean {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw inexpressible(clause);
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') throw inexpressible(clause);
  return value;
}

function inexpressible(clause: string): Inexpressible {
  return new Inexpressible(`A rule cannot express the condition ${clause.slice(0, 80)}`);
}

/** Returns why a rule cannot express a question. Undefined: it can. */
export function whyNoRule(question: RuleQuestion): string | undefined {
  try {
    ruleOfQuestion(question);
    return undefined;
  } catch (error) {
    if (error instanceof Inexpressible) return error.message;
    throw error;
  }
}

/** Returns the rule that a form begins with. Without a question that a rule can express, it is an empty rule. */
export function ruleInAddress(json: string | undefined): RuleDraft {
  const question = questionIn(json);
  return question === undefined || whyNoRule(question) !== undefined ? NEW_RULE : ruleOfQuestion(question);
}

function questionIn(json: string | undefined): RuleQuestion | undefined {
  let read: unknown;
  try {
    read = JSON.parse(json ?? 'null');
  } catch {
    return undefined;
  }
  if (!isObject(read)) return undefined;
  const { kind, search, q } = read;
  if (kind === 'query' && typeof q === 'string') return { kind, q };
  return kind === 'analysis' && isObject(search) ? { kind, search: analyticsSearch(search) } : undefined;
}
