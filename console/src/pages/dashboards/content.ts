import { isObject } from '../../parts/json.js';
import { arranged, type Box, boxOf, bottomOf, DEFAULT_SIZE, freePlace } from './layout.js';
import type { Scalar } from '../../parts/conditions.js';
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

/** A panel. Its question stays as it was stored, so that saving loses nothing that this version does not know. */
export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly question: Readonly<Record<string, unknown>>;
  readonly layout: Box;
}

/** A field whose value narrows every panel. */
export interface Variable {
  readonly name: string;
  /** A field of facets, such as `severity` or `properties.plan`. */
  readonly field: string;
  /** Undefined: all values. */
  readonly value?: Exclude<Scalar, null> | undefined;
}

export interface Content {
  readonly panels: readonly Panel[];
  readonly variables: readonly Variable[];
  /** Other stored members. */
  readonly rest: Readonly<Record<string, unknown>>;
}

export const EMPTY: Content = { panels: [], variables: [], rest: {} };

const FIXED_FIELDS = ['event', 'source_id', 'severity', 'status', 'environment'] as const;
export type FixedField = (typeof FIXED_FIELDS)[number];

export function isFixedField(field: string): field is FixedField {
  return FIXED_FIELDS.some((each) => each === field);
}

export function isVariableField(field: string): boolean {
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
      layout: boxOf(layout) ?? { ...DEFAULT_SIZE, x: 0, y: bottomOf(found.map((each) => each.layout)) },
    });
  }
  return { panels: found, variables: variablesOf(variables), rest };
}

function variablesOf(stored: unknown): Variable[] {
  const found: Variable[] = [];
  for (const each of Array.isArray(stored) ? (stored as unknown[]) : []) {
    const { name, field, value } = isObject(each) ? each : {};
    if (typeof name !== 'string' || name === '' || typeof field !== 'string' || !isVariableField(field)) continue;
    if (found.length < MAX_VARIABLES && !found.some((known) => known.name === name))
      found.push({ name, field, value: isValueOfVariable(value) ? value : undefined });
  }
  return found;
}

export function isValueOfVariable(value: unknown): value is Exclude<Scalar, null> {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Returns the content as the service stores it. */
export function filtersOfContent({ panels, variables, rest }: Content): Record<string, unknown> {
  return { ...rest, panels, variables };
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
      const asked = eqlSearch(search);
      return asked.q === undefined ? undefined : { kind, search: asked };
    }
    case 'performance':
      return { kind, search: performanceSearch(search), part: oneOf(PERFORMANCE_PARTS, part) ?? 'charts' };
    case 'logs':
      return { kind, search: logsSearch(search) };
    default:
      return undefined;
  }
}
