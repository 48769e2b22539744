import { describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import {
  BooleanField,
  compile,
  DateTimeField,
  EmailField,
  EnumField,
  IntField,
  int,
  type Issue,
  jsonInvalid,
  ListField,
  NestedField,
  NumberField,
  ObjectField,
  parseJsonBody,
  TextField,
  UrlField,
  UuidField,
  validateJson,
  validateStrings,
  type StringSource,
} from './index.js';

/** A class with one field called `f`. */
function single(field: PropertyDecorator): Type<unknown> {
  class Single {}
  field(Single.prototype, 'f');
  return Single;
}

function bodyIssues(cls: Type<unknown>, body: unknown): Issue[] {
  const result = validateJson(compile(cls), body, 'body');
  return 'issues' in result ? result.issues : [];
}

function textIssues(cls: Type<unknown>, raw: Record<string, string>, loc: StringSource): Issue[] {
  const result = validateStrings(compile(cls), raw, loc);
  return 'issues' in result ? result.issues : [];
}

class Inner {
  @IntField()
  age!: number;
}

class Limits {
  @IntField({ name: 'limit' })
  limit!: number;
}

class TokenHeader {
  @TextField()
  x_token!: string;
}

class Login {
  @TextField({ min: 1 })
  username!: string;

  @TextField({ min: 1 })
  password!: string;
}

const DICTIONARY = 'Input should be a valid dictionary or object to extract fields from';

describe('the 422 array', () => {
  it('names a missing body field and shows the object that lacks it', () => {
    expect(bodyIssues(Inner, { other: 1 })).toEqual([
      { type: 'missing', loc: ['body', 'age'], msg: 'Field required', input: { other: 1 } },
    ]);
  });

  it('names missing query, header and form fields with a null input', () => {
    const row = { type: 'missing', msg: 'Field required', input: null };
    expect(textIssues(Limits, {}, 'query')).toEqual([{ ...row, loc: ['query', 'limit'] }]);
    expect(textIssues(TokenHeader, {}, 'header')).toEqual([{ ...row, loc: ['header', 'x-token'] }]);
    expect(textIssues(Login, { username: '' }, 'form')).toEqual([
      { ...row, loc: ['body', 'username'] },
      { ...row, loc: ['body', 'password'] },
    ]);
  });

  it.each([[undefined], [null]])('has one row at the body when the body is %s', (body) => {
    expect(bodyIssues(Inner, body)).toEqual([{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }]);
  });

  it.each([[[1]], ['text'], [7], [true]])('has one row at the body when the body is %p', (body) => {
    expect(bodyIssues(Inner, body)).toEqual([
      { type: 'model_attributes_type', loc: ['body'], msg: DICTIONARY, input: body },
    ]);
  });

  it('has the position of malformed JSON', () => {
    expect(parseJsonBody(Buffer.from('{"a" 1}'))).toEqual({
      issues: [
        {
          type: 'json_invalid',
          loc: ['body', 5],
          msg: 'JSON decode error',
          input: {},
          ctx: { error: "Expecting ':' delimiter" },
        },
      ],
    });
    expect(jsonInvalid(3, 'why')).toMatchObject({ type: 'json_invalid', loc: ['body', 3], ctx: { error: 'why' } });
  });

  const bounded = NumberField({ gt: 0, lt: 1.5 });
  const lengths = { field_type: 'List' };
  const rows: [string, PropertyDecorator, unknown, string, string, Record<string, unknown>?][] = [
    ['a nested object that is none', NestedField(() => Inner), [], 'model_attributes_type', DICTIONARY],
    ['a number for text', TextField(), 1, 'string_type', 'Input should be a valid string'],
    ['null for text', TextField(), null, 'string_type', 'Input should be a valid string'],
    [
      'short text',
      TextField({ min: 3 }),
      'ab',
      'string_too_short',
      'String should have at least 3 characters',
      { min_length: 3 },
    ],
    [
      'empty text',
      TextField({ min: 1 }),
      '',
      'string_too_short',
      'String should have at least 1 character',
      { min_length: 1 },
    ],
    [
      'long text',
      TextField({ max: 3 }),
      'abcd',
      'string_too_long',
      'String should have at most 3 characters',
      { max_length: 3 },
    ],
    [
      'text off its pattern',
      TextField({ pattern: /^[a-z]+$/ }),
      'A1',
      'string_pattern_mismatch',
      "String should match pattern '^[a-z]+$'",
      { pattern: '^[a-z]+$' },
    ],
    [
      'an integer from other text',
      IntField(),
      'abc',
      'int_parsing',
      'Input should be a valid integer, unable to parse string as an integer',
    ],
    [
      'an integer from a fraction',
      IntField(),
      1.5,
      'int_from_float',
      'Input should be a valid integer, got a number with a fractional part',
    ],
    ['an integer from a list', IntField(), [], 'int_type', 'Input should be a valid integer'],
    ['an integer from an object', IntField(), {}, 'int_type', 'Input should be a valid integer'],
    ['an integer from null', IntField(), null, 'int_type', 'Input should be a valid integer'],
    [
      'a number from other text',
      NumberField(),
      'x',
      'float_parsing',
      'Input should be a valid number, unable to parse string as a number',
    ],
    ['a number from null', NumberField(), null, 'float_type', 'Input should be a valid number'],
    [
      'an integer below its bound',
      IntField({ min: 1 }),
      0,
      'greater_than_equal',
      'Input should be greater than or equal to 1',
      { ge: 1 },
    ],
    [
      'an integer above its bound',
      IntField({ max: 100 }),
      101,
      'less_than_equal',
      'Input should be less than or equal to 100',
      { le: 100 },
    ],
    ['a number at its lower bound', bounded, 0, 'greater_than', 'Input should be greater than 0', { gt: 0 }],
    ['a number at its upper bound', bounded, 1.5, 'less_than', 'Input should be less than 1.5', { lt: 1.5 }],
    [
      'text that is no UUID',
      UuidField(),
      'not-a-uuid',
      'uuid_parsing',
      'Input should be a valid UUID, invalid character: found `n` at 1',
      { error: 'invalid character: found `n` at 1' },
    ],
    ['a number for a UUID', UuidField(), 5, 'uuid_type', 'UUID input should be a string, bytes or UUID object'],
    [
      'text that is no boolean',
      BooleanField(),
      'maybe',
      'bool_parsing',
      'Input should be a valid boolean, unable to interpret input',
    ],
    ['a list for a boolean', BooleanField(), [], 'bool_type', 'Input should be a valid boolean'],
    [
      'a value outside two',
      EnumField(['a', 'b']),
      'c',
      'literal_error',
      "Input should be 'a' or 'b'",
      { expected: "'a' or 'b'" },
    ],
    [
      'a value outside three',
      EnumField(['a', 'b', 'c']),
      1,
      'literal_error',
      "Input should be 'a', 'b' or 'c'",
      { expected: "'a', 'b' or 'c'" },
    ],
    [
      'short text for a time',
      DateTimeField(),
      'abc',
      'datetime_from_date_parsing',
      'Input should be a valid datetime or date, input is too short',
      { error: 'input is too short' },
    ],
    ['a list for a time', DateTimeField(), [], 'datetime_type', 'Input should be a valid datetime'],
    [
      'text that is no URL',
      UrlField(),
      'foo',
      'url_parsing',
      'Input should be a valid URL, relative URL without a base',
      { error: 'relative URL without a base' },
    ],
    [
      'a URL of another scheme',
      UrlField(),
      'ftp://host/',
      'url_scheme',
      "URL scheme should be 'http' or 'https'",
      { expected_schemes: "'http' or 'https'" },
    ],
    [
      'text that is no e-mail address',
      EmailField(),
      'ada',
      'value_error',
      'value is not a valid email address: An email address must have an @-sign.',
      { reason: 'An email address must have an @-sign.' },
    ],
    ['an object for a list', ListField(int()), {}, 'list_type', 'Input should be a valid list'],
    [
      'an empty list',
      ListField(int(), { min: 1 }),
      [],
      'too_short',
      'List should have at least 1 item after validation, not 0',
      { ...lengths, min_length: 1, actual_length: 0 },
    ],
    [
      'a long list',
      ListField(int(), { max: 2 }),
      [1, 2, 3],
      'too_long',
      'List should have at most 2 items after validation, not 3',
      { ...lengths, max_length: 2, actual_length: 3 },
    ],
    ['a list for an object', ObjectField(), [], 'dict_type', 'Input should be a valid dictionary'],
    [
      'a value its own rule refuses',
      TextField({ check: () => 'too common' }),
      'x',
      'value_error',
      'Value error, too common',
      { error: {} },
    ],
  ];

  it.each(rows.map((row) => [row[0], row] as const))('has a row for %s', (_, [, field, input, type, msg, ctx]) => {
    expect(bodyIssues(single(field), { f: input })).toEqual([
      { type, loc: ['body', 'f'], msg, input, ...(ctx && { ctx }) },
    ]);
  });

  it('gives an item of a list its own row', () => {
    expect(bodyIssues(single(ListField(int())), { f: [1, 'x', 3, null] })).toMatchObject([
      { type: 'int_parsing', loc: ['body', 'f', 1], input: 'x' },
      { type: 'int_type', loc: ['body', 'f', 3], input: null },
    ]);
  });

  it.each(['abc', '', '1.5'])('has a row for %p as an integer in the query', (limit) => {
    expect(textIssues(Limits, { limit }, 'query')).toMatchObject([
      { type: 'int_parsing', loc: ['query', 'limit'], input: limit },
    ]);
  });
});
