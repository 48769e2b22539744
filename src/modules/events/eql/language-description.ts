import { LONG_READ_MS } from '../reads/index.js';
import type { LanguageFunction, LanguageOperator } from './eql.dto.js';
import { OWN_FIELDS } from './language/field-names.js';
import { QUERY_LIMITS, REQUEST_LIMITS } from './language/limits.js';
import { PENDING_PARTIALS } from './running/run-limits.js';
import { FUNCTIONS } from './values/functions.js';

export const LANGUAGE_VERSION = '1';

export const KEYWORDS: readonly string[] = [
  ...['and', 'any', 'by', 'false', 'in', 'in~', 'like', 'like~', 'maxspan', 'not', 'null', 'or', 'regex', 'regex~'],
  ...['runs', 'sample', 'sequence', 'true', 'until', 'where', 'with'],
];

export const PIPES: readonly string[] = ['head', 'tail'];

export const OPERATORS: readonly LanguageOperator[] = [
  { name: '==', description: 'Equal, exactly; with null: missing' },
  { name: '!=', description: 'Not equal; with null: there' },
  { name: '<', description: 'Less: numbers, times, texts by code point' },
  { name: '<=', description: 'Less or equal' },
  { name: '>', description: 'Greater' },
  { name: '>=', description: 'Greater or equal' },
  { name: ':', description: 'Equal texts in any case; * stands for any characters, ? for one' },
  { name: 'in', description: 'Equal to one of a list' },
  { name: 'in~', description: 'Equal to one of a list of texts, in any case' },
  { name: 'not in', description: 'Equal to none of a list' },
  { name: 'like', description: 'The whole text fits; * stands for any characters, ? for one' },
  { name: 'like~', description: 'As like, in any case' },
  { name: 'regex', description: 'The whole text fits the regular expression, of its first 4,096 characters' },
  { name: 'regex~', description: 'As regex, in any case' },
  { name: 'and', description: 'Both are true' },
  { name: 'or', description: 'One is true' },
  { name: 'not', description: 'False becomes true; null stays null' },
  { name: '+', description: 'Sum' },
  { name: '-', description: 'Difference, or the opposite' },
  { name: '*', description: 'Product' },
  { name: '/', description: 'Quotient, whole where both are whole numbers and written so; null for a divisor of 0' },
  { name: '%', description: 'Remainder with the sign of the dividend; null for a divisor of 0' },
];

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

/** Every number that queries are held to, those of requests and of running too. */
export const ALL_LIMITS = {
  ...QUERY_LIMITS,
  ...REQUEST_LIMITS,
  seconds: LONG_READ_MS / 1_000,
  turn_seconds: 2,
  at_once: 2,
  at_once_of_project: 1,
  pending_partials: PENDING_PARTIALS,
} as const;
