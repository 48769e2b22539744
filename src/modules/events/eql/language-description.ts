import { LONG_READ_MS, LONG_READ_SLOTS } from '../long-reads/index.js';
import type { LanguageFunction, LanguageOperator } from './eql.dto.js';
import {
  FUNCTIONS,
  LIST_WORDS,
  type OperatorSign,
  OWN_FIELDS,
  PATTERN_WORDS,
  QUERY_LIMITS,
  REQUEST_LIMITS,
  RESERVED_WORDS,
} from '../eql-language/index.js';
import { MOST_TUPLES } from './matching/join-keys.js';
import { PENDING_PARTIALS } from './running/run-limits.js';

export const LANGUAGE_VERSION = '1';

/** Words that cannot name a field unquoted, including the operators with `~`. */
export const KEYWORDS: readonly string[] = [
  ...new Set([...RESERVED_WORDS, ...Object.keys(LIST_WORDS), ...Object.keys(PATTERN_WORDS)]),
].sort();

const MEANINGS: Readonly<Record<OperatorSign, string>> = {
  '==': 'Equal, exactly; with null: missing',
  '!=': 'Not equal; with null: there',
  '<': 'Less: numbers, times, texts by code point',
  '<=': 'Less or equal',
  '>': 'Greater',
  '>=': 'Greater or equal',
  ':': 'Equal texts in any case; * stands for any characters, ? for one',
  in: 'Equal to one of a list',
  'in~': 'Equal to one of a list of texts, in any case',
  'not in': 'Equal to none of a list',
  'not in~': 'Equal to none of a list of texts, in any case',
  like: 'The whole text fits; * stands for any characters, ? for one',
  'like~': 'As like, in any case',
  regex: 'The whole text fits the regular expression, of its first 4,096 characters',
  'regex~': 'As regex, in any case',
  and: 'Both are true',
  or: 'One is true',
  not: 'False becomes true; null stays null',
  '+': 'Sum',
  '-': 'Difference, or the opposite',
  '*': 'Product',
  '/': 'Quotient, whole where both are whole numbers and written so; null for a divisor of 0',
  '%': 'Remainder with the sign of the dividend; null for a divisor of 0',
};

export const OPERATORS: readonly LanguageOperator[] = Object.entries(MEANINGS).map(([name, description]) => ({
  name,
  description,
}));

export const LANGUAGE_FUNCTIONS: readonly LanguageFunction[] = FUNCTIONS.map((definition) => ({
  name: definition.name,
  arguments: definition.parameters.map(({ name, type, isOptional = false, isVariadic = false }) => ({
    name,
    type,
    is_optional: isOptional,
    is_variadic: isVariadic,
  })),
  returns: definition.returns,
  has_case_insensitive_form: definition.hasFoldingForm,
  description: definition.description,
}));

export const OWN_FIELD_LIST = Object.entries(OWN_FIELDS).map(([name, { type }]) => ({
  name,
  type,
  is_property: false,
}));

/** All limits of queries, including the limits of requests and of running queries. */
export const ALL_LIMITS = {
  ...QUERY_LIMITS,
  ...REQUEST_LIMITS,
  seconds: LONG_READ_MS / 1_000,
  turn_seconds: LONG_READ_SLOTS.timeoutMs / 1_000,
  at_once: LONG_READ_SLOTS.atOnce,
  at_once_of_project: LONG_READ_SLOTS.atOnceOfProject,
  pending_partials: PENDING_PARTIALS,
  /** Maximum number of key tuples from the lists of one event. */
  tuples_of_event: MOST_TUPLES,
} as const;
