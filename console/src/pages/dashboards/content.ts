import { isObject } from '../../parts/json.js';
import { arranged, type Box, boxOf, bottomOf, DEFAULT_SIZE, freePlace } from './layout.js';
import { allOf, clausesOf, narrowedQuery, type Scalar } from '../../parts/conditions.js';
import {
  type AnalyticsSearch,
  analyticsSearch,
  type EqlSearch,
  eqlSearch,
  type PerformanceSearch,
  performanceSearch,
} from '../../routes/insight.js';
import { type LogsSearch, logsSearch } from '../../routes/logs-search.js';
import { oneOf } from '../../routes/search-members.js';

/** The service stores at most this many panels. */
export const MAX_PANELS = 30;
/** The service counts the values of at most this many properties at once. */
export const MAX_VARIABLES = 10;

export const PERFORMANCE_PARTS = ['figures', 'charts', 'names', 'slowest', 'failures'] as const;

/** A question as the pages ask it. The time range is that of the project. */
export type Question =
  | { readonly kind: 'analysis' | 'figure'; readonly search: AnalyticsSearch }
  | { readonly kind: 'query'; readonly search: EqlSearch }
  | {
      readonly kind: 'performance';
      readonly part: (typeof PERFORMANCE_PARTS)[number];
      readonly search: PerformanceSearch;
    }
  | { readonly kind: 'logs'; readonly search: LogsSearch };

interface Stored {
  /** All members that were stored. Those that this version does not know are written back. */
  readonly stored?: Readonly<Record<string, unknown>> | undefined;
}

/** A panel. Its question stays as it was stored. */
export interface Panel extends Stored {
  readonly id: string;
  readonly title: string;
  readonly question: Readonly<Record<string, unknown>>;
  readonly layout: Box;
}

/** A field whose value narrows every panel. */
export interface Variable extends Stored {
  readonly name: string;
  /** A field of facets, such as `severity` or `properties.plan`. */
  readonly field: string;
  /** Undefined: all values. */
  readonly value?: Exclude<Scalar, null> | undefined;
}

export interface Content {
  readonly panels: readonly Panel[];
  readonly variables: readonly Variable[];
  /** Stored variables that no page understands. */
  readonly otherVariables: readonly unknown[];
  /** Other stored members. */
  readonly rest: Readonly<Record<string, unknown>>;
}

export const EMPTY: Content = { panels: [], variables: [], otherVariables: [], rest: {} };

const FIXED_FIELDS = ['event', 'source_id', 'severity', 'status', 'environment'] as const;
export type FixedField = (typeof FIXED_FIELDS)[number];

export function isFixedField(field: string): field is FixedField {
  return FIXED_FIELDS.some((each) => each === field);
}

export function isVariableField(field: unknown): field is string {
  if (typeof field !== 'string') return false;
  return (
    isFixedField(field) || (/^properties\.[^]/.test(field) && field.length <= 200 && !field.split('.').includes(''))
  );
}

/** Reads the stored content of a dashboard. Members that no page understands become panels that say so. */
export function contentOf({ panels, variables, ...rest }: Readonly<Record<string, unknown>>): Content {
  const found: Panel[] = [];
  for (const stored of Array.isArray(panels) ? (panels as unknown[]).slice(0, MAX_PANELS) : []) {
    const { id, title, question, layout } = isObject(stored) ? stored : {};
    const name = typeof id === 'string' && id !== '' ? id : newId(found);
    found.push({
      id: found.some((each) => each.id === name) ? newId(found) : name,
      title: typeof title === 'string' && title.trim() !== '' ? title : 'Untitled',
      question: isObject(question) ? question : {},
      ...(isObject(stored) && { stored }),
      layout: boxOf(layout) ?? { ...DEFAULT_SIZE, x: 0, y: bottomOf(found.map((each) => each.layout)) },
    });
  }
  const isList = Array.isArray(variables);
  return {
    panels: found,
    ...variablesOf(isList ? variables : []),
    rest: { ...rest, ...(!isList && variables !== undefined && { variables }) },
  };
}

function variablesOf(stored: readonly unknown[]): Pick<Content, 'variables' | 'otherVariables'> {
  const variables: Variable[] = [];
  const otherVariables: unknown[] = [];
  for (const each of stored) {
    const { name, field, value } = isObject(each) ? each : {};
    const isNew = !variables.some((known) => known.name === name) && variables.length < MAX_VARIABLES;
    if (isObject(each) && isNew && typeof name === 'string' && name !== '' && isVariableField(field))
      variables.push({ name, field, value: isValueOfVariable(value) ? value : undefined, stored: each });
    else otherVariables.push(each);
  }
  return { variables, otherVariables };
}

export function isValueOfVariable(value: unknown): value is Exclude<Scalar, null> {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Returns the content as the service stores it. */
export function filtersOfContent({ panels, variables, otherVariables, rest }: Content): Record<string, unknown> {
  const all = [...variables.map(storedVariable), ...otherVariables];
  return {
    ...rest,
    panels: panels.map(({ stored, ...panel }) => ({
      ...stored,
      ...panel,
      layout: { ...(isObject(stored?.layout) ? stored.layout : {}), ...panel.layout },
    })),
    ...(all.length > 0 && { variables: all }),
  };
}

function storedVariable({ stored: { value: before, ...others } = {}, name, field, value }: Variable): object {
  // A value that no page understands stays until somebody chooses another.
  return { ...others, name, field, value: value ?? (isValueOfVariable(before) ? undefined : before) };
}

/** Returns an id that no panel has. */
export function newId(panels: readonly Panel[]): string {
  for (let number = panels.length + 1; ; number += 1) {
    const id = `panel-${number}`;
    if (!panels.some((each) => each.id === id)) return id;
  }
}

/** Adds a panel at the first free place. */
export function withPanel(content: Content, title: string, question: Panel['question'], size = DEFAULT_SIZE): Content {
  const { panels } = content;
  const layout = freePlace(
    arranged(panels).map((each) => each.layout),
    size,
  );
  return { ...content, panels: [...arranged(panels), { id: newId(panels), title, question, layout }] };
}

/** Reads a stored question. Undefined: this version does not know it. */
export function questionOf({ kind, search, part }: Panel['question']): Question | undefined {
  if (!isObject(search)) return undefined;
  switch (kind) {
    case 'analysis':
    case 'figure':
      return { kind, search: analyticsSearch(search) };
    case 'query': {
      const query = eqlSearch(search);
      return query.q === undefined ? undefined : { kind, search: query };
    }
    case 'performance':
      return { kind, search: performanceSearch(search), part: oneOf(PERFORMANCE_PARTS, part) ?? 'charts' };
    case 'logs':
      return { kind, search: logsSearch(search) };
    default:
      return undefined;
  }
}

/** Returns conditions that an event must meet all of. */
function whereOf(where: string | undefined, clauses: readonly string[]): string | undefined {
  return allOf([...clausesOf(where), ...clauses]);
}

/** Returns a question with more conditions, for its own page. Queries that take none stay as they are. */
export function narrowed(question: Question, clauses: readonly string[]): Question {
  switch (question.kind) {
    case 'query': {
      const { q = '' } = question.search;
      return { ...question, search: { ...question.search, q: narrowedQuery(q, clauses) ?? q } };
    }
    case 'performance':
      return { ...question, search: { ...question.search, where: whereOf(question.search.where, clauses) } };
    case 'logs':
      return { ...question, search: { ...question.search, where: whereOf(question.search.where, clauses) } };
    default:
      return { ...question, search: { ...question.search, where: whereOf(question.search.where, clauses) } };
  }
}

/** The service answers 20 reads of a kind in a minute. Panels leave some of them to other pages. */
const READ_EVERY_MS = 4_000;

/** Returns the milliseconds for which the answer of a panel is not read again: longer with more panels of its kind. */
export function restMsOf({ question: { kind } }: Panel, panels: readonly Panel[]): number {
  const limitOf = (each: unknown) => (each === 'figure' ? 'analysis' : each);
  return READ_EVERY_MS * panels.filter(({ question }) => limitOf(question.kind) === limitOf(kind)).length;
}
