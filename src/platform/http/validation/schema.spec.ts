import { describe, expect, it } from '@jest/globals';
import {
  AnyField,
  BooleanField,
  compile,
  DateTimeField,
  IntField,
  type Issue,
  int,
  ListField,
  list,
  nested,
  NestedField,
  ObjectField,
  text,
  TextField,
  UrlField,
  ValidationError,
  validateJson,
  validateStrings,
  type Validated,
} from './index.js';

class Base {
  @IntField({ max: 9 })
  first!: number;

  @TextField({ optional: true, nullable: true })
  note?: string | null;
}

class Derived extends Base {
  @BooleanField({ default: true })
  flag!: boolean;

  @ListField(int(), { default: [1] })
  numbers!: number[];
}

class Redeclared extends Derived {
  @IntField({ max: 99 })
  declare first: number;
}

class Condition {
  @TextField()
  field!: string;

  @ListField(nested(() => Condition), { optional: true })
  any?: Condition[];
}

class Optional {
  @IntField({ default: 50 })
  limit!: number;

  @TextField({ optional: true })
  search?: string;
}

class Filters {
  @ListField(text(), { optional: true })
  tag?: string[];

  @BooleanField({ optional: true })
  open?: boolean;

  @DateTimeField({ optional: true })
  from_ts?: Date;

  @TextField({ optional: true, name: 'Idempotency-Key' })
  key?: string;
}

class Credentials {
  @TextField({ max: 5 })
  password!: string;

  @TextField({ secret: true, max: 5 })
  webhook!: string;

  @TextField({ secret: false, max: 5 })
  currency_code!: string;

  @IntField()
  age!: number;
}

class Account {
  @NestedField(() => Credentials)
  login!: Credentials;

  @ObjectField({ optional: true })
  extra?: Record<string, unknown>;

  @UrlField({ optional: true })
  link?: string;
}

const value = (result: Validated): Record<string, unknown> => {
  if ('issues' in result) throw new ValidationError(result.issues);
  return result.value as Record<string, unknown>;
};
const issues = (result: Validated): Issue[] => ('issues' in result ? result.issues : []);

describe('compiling', () => {
  it('compiles a class once', () => {
    expect(compile(Base)).toBe(compile(Base));
    expect(compile(Base)).not.toBe(compile(Derived));
  });

  it('refuses a class without fields, also when it is nested', () => {
    class Empty {}
    class Outer {
      @NestedField(() => Empty)
      part!: Empty;
    }
    expect(() => compile(Empty)).toThrow('Empty has no fields');
    expect(() => compile(Outer)).toThrow('Empty has no fields');
    expect(() => compile(Outer)).toThrow('Empty has no fields');
  });

  it('refuses names that clash or that every object inherits', () => {
    class Twice {
      @TextField({ name: 'b' })
      a!: string;

      @TextField()
      b!: string;
    }
    class Inherited {
      @TextField({ name: '__proto__' })
      a!: string;
    }
    expect(() => compile(Twice)).toThrow('two fields called b');
    expect(() => compile(Inherited)).toThrow('cannot be called __proto__');
  });

  it('refuses a list of lists of a class, which cannot be documented', () => {
    expect(() => list(list(nested(() => Base)))).toThrow('list of lists');
  });

  it('puts inherited fields first and lets a subclass redeclare one in its place', () => {
    const refused = issues(validateJson(compile(Derived), { flag: 'x', numbers: 1, first: 10 }, 'body'));
    expect(refused.map((issue) => issue.loc[1])).toEqual(['first', 'flag', 'numbers']);
    expect(value(validateJson(compile(Redeclared), { first: 10 }, 'body'))).toEqual({
      first: 10,
      flag: true,
      numbers: [1],
    });
  });

  it('takes a redeclared field under its new name alone', () => {
    class Named {
      @TextField({ name: 'X-First', default: 'x' })
      first!: string;
    }
    class Renamed extends Named {
      @IntField()
      declare first: never;
    }
    expect(value(validateJson(compile(Renamed), { first: 1, 'X-First': 'x' }, 'body'))).toEqual({ first: 1 });
    expect(issues(validateJson(compile(Renamed), { 'X-First': 'x' }, 'body'))).toMatchObject([{ type: 'missing' }]);
  });

  it('keeps what a class sets of its own accord where the field is left out', () => {
    class Preset {
      @IntField({ optional: true })
      limit = 20;
    }
    expect(value(validateJson(compile(Preset), {}, 'body'))).toEqual({ limit: 20 });
    expect(value(validateJson(compile(Preset), { limit: 5 }, 'body'))).toEqual({ limit: 5 });
  });
});

describe('bodies', () => {
  it('gives instances of the class with known fields only', () => {
    const given = value(validateJson(compile(Base), { first: '3', note: null, other: '\u0000' }, 'body'));
    expect(given).toBeInstanceOf(Base);
    expect({ ...given }).toStrictEqual({ first: 3, note: null });
  });

  it('leaves an optional field absent and copies a default for each use', () => {
    const one = value(validateJson(compile(Derived), { first: 1 }, 'body'));
    const two = value(validateJson(compile(Derived), { first: 1 }, 'body'));
    expect(Object.keys(one)).toEqual(['first', 'flag', 'numbers']);
    expect(one['numbers']).not.toBe(two['numbers']);
  });

  it.each([[undefined], [null], [{}]])('takes %p for a class without required fields', (body) => {
    expect(value(validateJson(compile(Optional), body, 'body'))).toEqual({ limit: 50 });
  });

  it('refuses null for an optional field that is not nullable', () => {
    expect(
      issues(validateJson(compile(Optional), { limit: null, search: null }, 'body')).map((issue) => issue.type),
    ).toEqual(['int_type', 'string_type']);
  });

  it('reads classes that hold themselves, as deep as 64 levels', () => {
    const body: unknown = JSON.parse(`${'{"field":"x","any":['.repeat(31)}{"field":"x"}${']}'.repeat(31)}`);
    expect(issues(validateJson(compile(Condition), body, 'body'))).toEqual([]);
    const deeper: unknown = JSON.parse(`${'{"field":"x","any":['.repeat(32)}{"field":"x"}${']}'.repeat(32)}`);
    expect(issues(validateJson(compile(Condition), deeper, 'body'))).toMatchObject([{ type: 'value_error' }]);
  });

  it('gives nested faults their full place, in the order of the fields', () => {
    const body = { any: [{ field: 1 }, {}, { field: 'x', any: 'y' }] };
    expect(issues(validateJson(compile(Condition), body, 'body')).map((issue) => [issue.type, issue.loc])).toEqual([
      ['missing', ['body', 'field']],
      ['string_type', ['body', 'any', 0, 'field']],
      ['missing', ['body', 'any', 1, 'field']],
      ['list_type', ['body', 'any', 2, 'any']],
    ]);
  });

  it('finds unstorable text inside free objects where it stands', () => {
    class Free {
      @ObjectField({ optional: true })
      properties?: Record<string, unknown>;

      @AnyField({ optional: true })
      any?: unknown;
    }
    const locs = (body: unknown): unknown =>
      issues(validateJson(compile(Free), body, 'body')).map((issue) => issue.loc);
    expect(locs({ properties: { a: [0, { b: 'x\u0000' }] }, any: ['\udfff'] })).toEqual([
      ['body', 'properties', 'a', 1, 'b'],
      ['body', 'any', 0],
    ]);
    expect(locs({ properties: { a: { 'k\u0000': 1 } } })).toEqual([['body', 'properties', 'a']]);
  });
});

describe('texts', () => {
  it('takes the last of repeated values, and all of them for a list', () => {
    const query = { tag: ['a', 'b'], open: ['no', 'ON'], from_ts: '2025-01-02' };
    expect(value(validateStrings(compile(Filters), query, 'query'))).toEqual({
      tag: ['a', 'b'],
      open: true,
      from_ts: new Date('2025-01-02T00:00:00Z'),
    });
    expect(value(validateStrings(compile(Filters), { tag: 'a' }, 'query'))).toEqual({ tag: ['a'] });
  });

  it('finds headers in lower case', () => {
    expect(value(validateStrings(compile(Filters), { 'idempotency-key': 'k' }, 'header'))).toEqual({ key: 'k' });
  });

  it('takes an empty form field for one left out', () => {
    expect(value(validateStrings(compile(Optional), { limit: '', search: '' }, 'form'))).toEqual({ limit: 50 });
    expect(issues(validateStrings(compile(Optional), { limit: '' }, 'query'))).toMatchObject([{ type: 'int_parsing' }]);
  });
});

describe('the input of an issue', () => {
  const SECRET = 'hunter2-hunter2';

  it('never repeats a secret', () => {
    const body = {
      login: { password: SECRET, webhook: SECRET, currency_code: 'too long' },
      extra: { api_key: SECRET, nested: { accessToken: SECRET, note: '\u0000' }, otp_code: SECRET },
      link: `ftp://user:${SECRET}@host/`,
    };
    const refused = issues(validateJson(compile(Account), body, 'body'));
    expect(refused.map((issue) => [issue.loc.slice(1).join('.'), issue.input])).toEqual([
      ['login.password', '[redacted]'],
      ['login.webhook', '[redacted]'],
      ['login.currency_code', 'too long'],
      ['login.age', { password: '[redacted]', webhook: '[redacted]', currency_code: 'too long' }],
      ['extra.nested.note', '\u0000'],
      ['link', 'ftp://[redacted]@host/'],
    ]);
    expect(JSON.stringify(refused)).not.toContain(SECRET);
  });

  it('hides a secret whatever its shape', () => {
    const refused = issues(
      validateJson(
        compile(Credentials),
        { password: { a: [SECRET] }, webhook: [SECRET], currency_code: 'EUR', age: 1 },
        'body',
      ),
    );
    expect(refused).toMatchObject([{ input: '[redacted]' }, { input: '[redacted]' }]);
    expect(
      JSON.stringify(issues(validateJson(compile(Account), [{ password: SECRET, webhook: SECRET }], 'body'))),
    ).not.toContain(SECRET);
  });

  it('cuts texts to 200 characters without splitting one', () => {
    const refused = issues(validateJson(compile(Base), { first: `x${'😀'.repeat(300)}` }, 'body'));
    expect(refused[0]?.input).toBe(`x${'😀'.repeat(99)}`);
  });

  it('keeps 100 issues at most and their sum small', () => {
    const fat = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`k${index}`, 'v'.repeat(300)]));
    const refused = issues(
      validateJson(compile(Condition), { field: 'x', any: Array.from({ length: 500 }, () => ({ ...fat })) }, 'body'),
    );
    expect(refused).toHaveLength(100);
    expect(JSON.stringify(refused).length).toBeLessThan(50_000);
  });
});
