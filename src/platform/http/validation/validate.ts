import { failed, Faults, missing, type Failure, type FaultyMember } from './fault.js';
import type { Issue } from './issue.js';
import { readingNulls, readMembers, readWithStock, setDefault } from './read-members.js';
import { type CompiledField, type Schema, secretNames } from './schema.js';
import { isObject, objectExpected } from './structure-kinds.js';
import { toIssues } from './to-issues.js';

export type Validated = { value: object } | { issues: Issue[] };

export type StringSource = 'query' | 'path' | 'header' | 'form';

type Texts = Readonly<Record<string, string | string[] | undefined>>;

export interface JsonRules {
  /** Whether `null` for an optional member that is not nullable counts as leaving the member out, at any depth. */
  readonly isNullLeftOut: boolean;
}

/**
 * Validates a parsed JSON body. `undefined` means that the request has no body. This is valid when an empty object is
 * valid.
 */
export function validateJson(
  schema: Schema,
  value: unknown,
  loc: 'body',
  { isNullLeftOut }: JsonRules = { isNullLeftOut: false },
): Validated {
  return readingNulls(isNullLeftOut, () => validated(schema, value, loc));
}

function validated(schema: Schema, value: unknown, loc: 'body'): Validated {
  if (value === undefined || value === null) {
    const empty = readMembers(schema, {}, 1);
    return settle(schema, failed(empty) ? missing(null) : empty, loc);
  }
  return settle(schema, isObject(value) ? readMembers(schema, value, 1) : objectExpected(value), loc);
}

/**
 * Validates texts by name: query, path, form, or headers with names in lower case. Of a repeated name, the last value
 * is used, unless the field is a list. An empty form field is read as a missing one.
 */
export function validateStrings(schema: Schema, raw: Texts, loc: StringSource): Validated {
  const nameOf = loc === 'header' ? headerOf : wireOf;
  const given = (field: CompiledField): unknown => select(field, raw[nameOf(field)], loc);
  const { stock } = schema;
  const result =
    stock === undefined
      ? readTexts(schema, given, nameOf)
      : readWithStock(schema, stock, { given, nameOf, lacking: null, source: raw }, 1);
  return settle(schema, result, loc === 'form' ? 'body' : loc);
}

function readTexts(
  schema: Schema,
  givenOf: (field: CompiledField) => unknown,
  nameOf: (field: CompiledField) => string,
): object {
  const result = new schema.instance();
  const refused: FaultyMember[] = [];
  for (const field of schema.fields) {
    const given = givenOf(field);
    if (given === undefined) {
      if (field.required) refused.push({ key: nameOf(field), secret: false, fault: missing(null) });
      else setDefault(result, field);
      continue;
    }
    const member = field.read(given, 2);
    if (failed(member)) refused.push({ key: nameOf(field), secret: field.hidden, fault: member });
    else result[field.key] = member;
  }
  return refused.length > 0 ? new Faults(refused) : result;
}

const headerOf = ({ header }: CompiledField): string => header;
const wireOf = ({ wire }: CompiledField): string => wire;

function select(field: CompiledField, given: string | string[] | undefined, loc: StringSource): unknown {
  if (field.repeats) {
    const values = typeof given === 'string' ? [given] : given;
    return values?.length === 0 ? undefined : values;
  }
  const last = Array.isArray(given) ? given.at(-1) : given;
  return loc === 'form' && last === '' ? undefined : last;
}

function settle(schema: Schema, result: object | Failure, loc: string): Validated {
  return failed(result) ? { issues: toIssues(result, [loc], secretNames(schema)) } : { value: result };
}
