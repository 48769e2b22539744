import type { Schemas } from '@operational-events/client';
import type { EventFilters } from '../../api/insight.js';
import { fieldOf, isOther, isValue, literalOf, pathOf, type Scalar } from '../../parts/conditions.js';
import { statusFilter } from '../../routes/logs-search.js';

type Language = Schemas['LanguageResponse'];

/** The part that a typed text adds to the search. */
export interface Addition {
  /** The field of which the part chooses a value, in place of the values chosen before. */
  readonly field?: string;
  readonly filters?: EventFilters;
  /** A condition in EQL. */
  readonly clause?: string;
  readonly q?: string;
}

/** Names that people type for fields. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['event', 'event'],
  ['type', 'event'],
  ['source', 'source'],
  ['severity', 'severity'],
  ['status', 'status'],
  ['environment', 'environment'],
  ['message', 'message'],
  ['method', 'log.method'],
  ['path', 'log.endpoint'],
  ['endpoint', 'log.endpoint'],
  ['route', 'log.route'],
  ['latency', 'log.latency_ms'],
  ['class', 'log.status_class'],
  ['id', '_id'],
]);
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'EVENT'] as const;
export const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

const EXACT = ['event', 'severity', 'environment'] as const;
const TOKEN = /^(-?)((?:[@\w.]|`(?:``|[^`])*`|\[\d+\])+):([^]*)$/;
const OPERATION = /^(>=|<=|!=|==|=|>|<)?\s*([^]*)$/;
const NUMBER = /^-?\d+(\.\d+)?$/;
/** The first name of a condition in EQL, and the operator or the parenthesis behind it. */
const BEGINNING =
  /^[\s(]*(?:not\b[\s(]*)?((?:[@\w.]|`(?:``|[^`])*`|\[\d+\])+)\s*(~?\(|[=!<>]=|[<>:]|(?:not\s+)?in~?\s*\(|(?:like|regex)~?\s)\s*([^]?)/;
/** The service repeats the text for each field that it searches, and a condition has 2,000 characters at most. */
const MAX_TEXT_CHARACTERS = 200;

/** Returns the field that a person names, as EQL writes it. Undefined: there is no such field. */
function fieldNamed(name: string, language: Language | undefined): string | undefined {
  const own = FIELDS.get(name);
  if (own !== undefined) return own;
  const known = language?.fields.find((each) => each.name === name);
  if (known !== undefined) return known.is_property ? fieldOf(pathOf(name)) : name;
  return name.startsWith('properties.') && name.length > 'properties.'.length ? fieldOf(pathOf(name)) : undefined;
}

/** Returns what a typed text means: a field with a value, a condition in EQL, or a text to search for. */
export function additionOf(typed: string, language: Language | undefined): Addition {
  const text = typed.trim();
  const [, minus = '', name = '', rest = ''] = TOKEN.exec(text) ?? [];
  const field = name === '' || rest.trim() === '' ? undefined : fieldNamed(name, language);
  if (field !== undefined) return tokenOf(field, rest.trim(), minus !== '');
  if (isCondition(text, language)) return { clause: text };
  return { q: (textInQuotes(text) ?? text).slice(0, MAX_TEXT_CHARACTERS) };
}

/** Tells a condition in EQL from a text that has signs of one, such as a line of a log. */
function isCondition(text: string, language: Language | undefined): boolean {
  const [, name = '', operator = '', next = ''] = BEGINNING.exec(text) ?? [];
  if (name === '') return false;
  if (operator.endsWith('(') && !/^(not\s+)?in/.test(operator))
    return language?.functions.some((each) => each.name === name) === true;
  const isCompared = (operator === '==' || operator === '!=') && /["\d-]/.test(next);
  return isCompared || [...FIELDS.values()].includes(name) || fieldNamed(name, language) !== undefined;
}

function textInQuotes(text: string): string | undefined {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : undefined;
}

function tokenOf(field: string, rest: string, isExcluded: boolean): Addition {
  const [, operator = '', written = ''] = OPERATION.exec(rest) ?? [];
  const quoted = textInQuotes(written);
  const isQuoted = quoted !== undefined;
  const text = quoted ?? written;
  const isNumber = !isQuoted && NUMBER.test(text);
  if (field === 'status' && !isQuoted) {
    // People mean the HTTP status by a number.
    if (isNumber) return compared('log.status', operator, Number(text), isExcluded);
    if (/^[1-5]xx$/i.test(text)) return equal('log.status_class', text.toLowerCase(), isExcluded || operator === '!=');
  }
  if (operator !== '' && isNumber) return compared(field, operator, Number(text), isExcluded);
  if (operator.startsWith('<') || operator.startsWith('>')) {
    const clause = `${field} ${operator} ${literalOf(text)}`;
    return { clause: isExcluded ? `not ${clause}` : clause };
  }
  const isNot = isExcluded || operator === '!=';
  if (!isQuoted && /[*?]/.test(text)) {
    const clause = `${field} : ${literalOf(text)}`;
    return { clause: isNot ? `(${field} == null or not ${clause})` : clause };
  }
  if (isNumber && (field === 'log.latency_ms' || field === 'log.status')) return equal(field, Number(text), isNot);
  if (!isQuoted && field.startsWith('properties.') && (isNumber || text === 'true' || text === 'false')) {
    // The property may be a text or a value of another type.
    const either = `${isValue(field, isNumber ? Number(text) : text === 'true')} or ${isValue(field, text)}`;
    return isNot ? { clause: `(${field} == null or not (${either}))` } : { field, clause: `(${either})` };
  }
  return equal(field, field === 'log.method' ? text.toUpperCase() : text, isNot);
}

function compared(field: string, operator: string, value: number, isExcluded: boolean): Addition {
  if (operator === '' || operator === '=' || operator === '==') return equal(field, value, isExcluded);
  if (operator === '!=') return equal(field, value, !isExcluded);
  const clause = `${field} ${operator} ${value}`;
  return { clause: isExcluded ? `not ${clause}` : clause };
}

function equal(field: string, value: Scalar, isExcluded: boolean): Addition {
  return isExcluded ? { clause: isOther(field, value) } : only(field, value);
}

/** Returns the filter for events with a value. Fields with exact filters use these, since the service reads them faster. */
export function only(field: string, value: Scalar): Addition {
  const exact = EXACT.find((name) => name === field);
  if (typeof value === 'string' && value !== '') {
    if (exact !== undefined) return { field, filters: { [exact]: value } };
    if (field === 'source_id') return { field, filters: { source_id: value } };
    if (field === 'status') {
      const { status, clause } = statusFilter(value);
      return clause === undefined ? { field, filters: { status } } : { field, clause };
    }
  }
  return { field, clause: isValue(field, value) };
}

export interface Suggestion {
  /** The text that the field then has. */
  readonly value: string;
  readonly about: string;
  /** Undefined: the text is the name of a field, which waits for its value. */
  readonly addition?: Addition;
}

const MAX_SUGGESTIONS = 30;

/** Returns the fields that a typed text may begin. */
export function fieldSuggestions(typed: string, language: Language | undefined): Suggestion[] {
  const [, minus = '', begun = ''] = /^(-?)([^]*)$/.exec(typed) ?? [];
  const own = [...FIELDS.keys()].map((name) => ({ value: `${minus}${name}:`, about: 'field' }));
  const properties = (language?.fields ?? []).flatMap(({ name, type, is_property }) =>
    is_property ? [{ value: `${minus}${fieldOf(pathOf(name))}:`, about: `property, ${type}` }] : [],
  );
  const wanted = begun.toLowerCase();
  return [...own, ...properties].filter(({ value }) => value.toLowerCase().includes(wanted)).slice(0, MAX_SUGGESTIONS);
}

/** Returns the field whose value is being typed, and the part of the text before the value. */
export function begunField(typed: string, language: Language | undefined) {
  const [, minus = '', name = ''] = TOKEN.exec(typed) ?? [];
  const field = name === '' ? undefined : fieldNamed(name, language);
  return field === undefined ? undefined : { field, before: `${minus}${name}:`, isExcluded: minus !== '' };
}
