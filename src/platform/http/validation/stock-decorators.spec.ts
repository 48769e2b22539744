import { describe, expect, it } from '@jest/globals';
import { PartialType } from '@nestjs/swagger';
import { Exclude, Expose, plainToInstance, Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  Equals,
  IsArray,
  IsBoolean,
  IsDate,
  IsDefined,
  IsEmail,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUppercase,
  Length,
  Matches,
  Max,
  Min,
  registerDecorator,
  Validate,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  validateSync,
  type ValidationArguments,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import {
  compile,
  IntField,
  issuesOf,
  nested,
  ListField,
  NestedField,
  TextField,
  validateJson,
  validateStrings,
  type Issue,
  type Validated,
} from './index.js';

@ValidatorConstraint({ name: 'sorted' })
class Sorted implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return Array.isArray(value) && value.every((item, index) => index === 0 || (value[index - 1] as never) <= item);
  }
  defaultMessage({ property, targetName }: ValidationArguments): string {
    return `${property} of ${targetName} must be sorted`;
  }
}

/** Requires that the property is not less than the other property. */
function IsNotBelow(other: string): PropertyDecorator {
  return (target, key) =>
    registerDecorator({
      name: 'isNotBelow',
      target: target.constructor,
      propertyName: String(key),
      constraints: [other],
      options: { message: '$property must not be below $constraint1, and $value is' },
      validator: {
        validate: (value: number, args?: ValidationArguments) =>
          value >= Number((args?.object as Record<string, unknown>)[other]),
      },
    });
}

class Address {
  @IsString()
  @Length(2, 20)
  city!: string;

  @IsOptional()
  @IsIn(['DE', 'FR'])
  country?: string;
}

class Person {
  @IsEmail()
  email!: string;

  @IsInt()
  @Min(0)
  @Max(150)
  age!: number;

  @IsOptional()
  @IsString()
  nickname?: string | null;

  @ValidateNested()
  @Type(() => Address)
  home!: Address;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(2)
  @ValidateNested({ each: true })
  @Type(() => Address)
  others?: Address[];

  @IsOptional()
  @Validate(Sorted)
  scores?: number[];

  @IsOptional()
  @IsNotBelow('age')
  retires?: number;
}

class Mixed {
  @TextField({ min: 2, max: 5 })
  @IsUppercase()
  code_of_unit!: string;

  @IntField({ default: 3 })
  quantity!: number;

  @IsEmail()
  email!: string;

  @NestedField(() => Person, { optional: true })
  owner?: Person;

  @ListField(nested(() => Address), { optional: true })
  stops?: Address[];
}

const PERSON = { email: 'ada@example.com', age: 36, home: { city: 'London' } };

const place = ({ loc, type, msg }: Issue): string => `${loc.slice(1).join('.')} ${type}: ${msg}`;
const rows = (result: Validated): string[] => ('issues' in result ? result.issues.map(place) : []);

/** Returns the result of both implementations, which must be the same. */
function read(cls: new () => object, body: object): Validated {
  const compiled = validateJson(compile(cls), body, 'body');
  const instance = plainToInstance(cls, body);
  const errors = validateSync(instance, { whitelist: true });
  const stock = errors.length > 0 ? { issues: issuesOf(cls, body, errors) } : { value: instance };
  expect(stock).toStrictEqual(compiled);
  return compiled;
}

describe('a class of stock decorators alone', () => {
  it('is read into an instance of it, nested ones too, without unknown members', () => {
    const result = read(Person, { ...PERSON, others: [{ city: 'Paris', country: 'FR' }], unknown: 1 });
    const { value } = result as { value: Person };
    expect(value).toBeInstanceOf(Person);
    expect(value.others?.[0]).toBeInstanceOf(Address);
    expect(value).toEqual({ ...PERSON, others: [{ city: 'Paris', country: 'FR' }] });
  });

  const RULE = 'value_error: Value error,';
  it.each<[string, object, string[]]>([
    ['lacks what it must have', {}, ['email missing: Field required', 'age missing: Field required']],
    ['breaks a rule', { ...PERSON, email: 'ada' }, [`email ${RULE} email must be an email`]],
    [
      'breaks two rules of one property',
      { ...PERSON, age: -0.5 },
      [`age ${RULE} age must not be less than 0`, `age ${RULE} age must be an integer number`],
    ],
    [
      'breaks a rule of a constraint class',
      { ...PERSON, scores: [2, 1] },
      [`scores ${RULE} scores of Person must be sorted`],
    ],
    [
      'breaks a rule on two properties',
      { ...PERSON, retires: 30 },
      [`retires ${RULE} retires must not be below age, and 30 is`],
    ],
    [
      'has a nested object that does not fit',
      { ...PERSON, home: { city: 'X', country: 'XX' } },
      [
        `home.city ${RULE} city must be longer than or equal to 2 characters`,
        `home.country ${RULE} country must be one of the following values: DE, FR`,
      ],
    ],
    [
      'has text for a nested object',
      { ...PERSON, home: 'London' },
      ['home model_attributes_type: Input should be a valid dictionary or object to extract fields from'],
    ],
    [
      'has an item that does not fit',
      { ...PERSON, others: [{ city: 'Paris' }, {}] },
      ['others.1.city missing: Field required'],
    ],
    [
      'has too many items',
      { ...PERSON, others: Array.from({ length: 3 }, () => ({ city: 'Paris' })) },
      [`others ${RULE} others must contain no more than 2 elements`],
    ],
    ['leaves out what is optional, or says null', { ...PERSON, nickname: null, others: null }, []],
  ])('answers with its rows a body that %s', (_, body, expected) => {
    expect(rows(read(Person, body))).toEqual(expected);
  });

  it('shows the refused value as it was sent, but no secret, in no sentence either', () => {
    class SignIn {
      @Matches(/^\d+$/, { message: '$value is no password' })
      password!: string;

      @IsInt()
      @Type(() => Number)
      age!: number;
    }
    const refused = read(SignIn, { password: 'hunter2-hunter2', age: 'old' });
    expect(refused).toEqual({
      issues: [
        expect.objectContaining({ input: '[redacted]', msg: 'Value error, [redacted] is no password' }),
        expect.objectContaining({ input: 'old', ctx: { error: {} } }),
      ],
    });
  });

  it('is converted and named as class-transformer does', () => {
    class Filters {
      @Type(() => Number)
      @IsInt()
      limit = 50;

      @Expose({ name: 'from' })
      @Type(() => Date)
      @IsDate()
      since!: Date;

      @Transform(({ value }) => (typeof value === 'string' ? value.trim() : value) as unknown)
      @Length(1, 5)
      word!: string;

      @IsBoolean()
      @Transform(({ value, obj }) => value === true || (obj as { word: string }).word === 'all')
      @Expose()
      open!: boolean;

      @Exclude()
      @IsOptional()
      inner?: string;

      @Allow()
      note?: unknown;
    }
    const body = { limit: '7', from: '2025-01-02T00:00:00Z', word: ' abc ', inner: 'x', note: { any: ['thing'] } };
    expect(read(Filters, body)).toEqual({
      value: { limit: 7, since: new Date('2025-01-02T00:00:00Z'), word: 'abc', open: false, note: { any: ['thing'] } },
    });
    expect(read(Filters, { from: 0, word: 'all' })).toMatchObject({ value: { limit: 50, open: true } });
    expect(rows(read(Filters, { limit: {}, from: 'x', word: ' ', open: 1 }))).toHaveLength(3);
  });

  it('is asked for what its conditions ask', () => {
    class Choice {
      @IsIn(['a', 'b'])
      kind!: string;

      @ValidateIf(({ kind }: Choice) => kind === 'a')
      @TextField({ max: 3 })
      ours!: string;

      @ValidateIf(({ kind }: Choice) => kind === 'b')
      @IsDefined()
      @Equals(1, { each: true })
      theirs!: number[];
    }
    expect(rows(read(Choice, { kind: 'a' }))).toEqual(['ours missing: Field required']);
    expect(rows(read(Choice, { kind: 'b' }))).toEqual(['theirs missing: Field required']);
    expect(rows(read(Choice, { kind: 'b', ours: 'too long', theirs: [1, 2] }))).toEqual([
      'theirs value_error: Value error, each value in theirs must be equal to 1',
    ]);
    expect(read(Choice, { kind: 'b', ours: 'too long', theirs: [1] })).toMatchObject({ value: { kind: 'b' } });
  });

  it('is read from texts, lists too', () => {
    class Filters {
      @IsOptional()
      @IsString({ each: true })
      tag?: string[];

      @IsInt()
      @Type(() => Number)
      limit!: number;
    }
    const schema = compile(Filters);
    expect(validateStrings(schema, { tag: 'a', limit: ['1', '2'] }, 'query')).toEqual({
      value: { tag: ['a'], limit: 2 },
    });
    expect(validateStrings(schema, {}, 'query')).toEqual({
      issues: [{ type: 'missing', loc: ['query', 'limit'], msg: 'Field required', input: null }],
    });
  });

  it('takes an object by its discriminator', () => {
    class Shape {
      @IsString()
      kind!: string;
    }
    class Circle extends Shape {
      @IsInt()
      radius!: number;
    }
    class Drawing {
      @ValidateNested()
      @Type(() => Shape, {
        discriminator: { property: 'kind', subTypes: [{ name: 'circle', value: Circle }] },
        keepDiscriminatorProperty: true,
      })
      shapes!: Shape[];
    }
    const shapes = [{ kind: 'circle', radius: 1 }, { kind: 'dot' }];
    const result = validateJson(compile(Drawing), { shapes }, 'body') as { value: Drawing };
    expect(result.value.shapes.map(({ constructor }) => constructor)).toEqual([Circle, Shape]);
    expect(rows(validateJson(compile(Drawing), { shapes: [{ kind: 'circle' }] }, 'body'))).toEqual([
      'shapes.0.radius missing: Field required',
    ]);
  });
});

describe('a stock decorator next to ours', () => {
  it('is checked after ours, in the order of the properties', () => {
    expect(read(Mixed, { code_of_unit: 'KG', email: 'ada@example.com' })).toEqual({
      value: { code_of_unit: 'KG', quantity: 3, email: 'ada@example.com' },
    });
    expect(rows(read(Mixed, { code_of_unit: 'kg', quantity: 'x', email: 1 }))).toEqual([
      'code_of_unit value_error: Value error, code_of_unit must be uppercase',
      'quantity int_parsing: Input should be a valid integer, unable to parse string as an integer',
      'email value_error: Value error, email must be an email',
    ]);
    expect(rows(read(Mixed, { code_of_unit: 'k', email: 'ada@example.com' }))).toEqual([
      'code_of_unit string_too_short: String should have at least 2 characters',
    ]);
  });

  it('applies in a class that one of our fields holds', () => {
    const body = { code_of_unit: 'KG', email: 'ada@example.com', owner: { ...PERSON, age: 'x' }, stops: [{ city: 1 }] };
    expect(rows(read(Mixed, body)).map((row) => row.split(' ')[0])).toEqual(
      expect.arrayContaining(['owner.age', 'stops.0.city']),
    );
  });

  it('lets PartialType make each property optional', () => {
    class Changes extends PartialType(Mixed) {}
    expect(validateJson(compile(Changes), {}, 'body')).toEqual({ value: { quantity: 3 } });
    expect(rows(validateJson(compile(Changes), { code_of_unit: 'x', email: 'x' }, 'body'))).toEqual([
      'code_of_unit string_too_short: String should have at least 2 characters',
      'email value_error: Value error, email must be an email',
    ]);
  });

  it('is replaced when a subclass declares the property again, over several generations', () => {
    class First {
      @TextField({ max: 3 })
      a!: string;

      @IsEmail()
      b!: string;
    }
    class Second extends First {
      @IntField({ max: 9 })
      declare a: never;

      @IsInt()
      declare b: never;
    }
    class Third extends Second {
      @TextField({ optional: true })
      c?: string;
    }
    expect(read(Second, { a: '8', b: 1 })).toEqual({ value: { a: 8, b: 1 } });
    expect(validateJson(compile(Third), { a: 10 }, 'body')).toMatchObject({
      issues: [{ type: 'less_than_equal' }, { type: 'missing', loc: ['body', 'b'] }],
    });
  });
});

describe('the compilation of a class', () => {
  const refusals: [string, () => unknown, string][] = [
    [
      'an asynchronous constraint',
      () => {
        @ValidatorConstraint({ name: 'later', async: true })
        class Later implements ValidatorConstraintInterface {
          validate = (): Promise<boolean> => Promise.resolve(false);
        }
        class Holder {
          @Validate(Later)
          a!: string;
        }
        return compile(Holder);
      },
      'Holder.a: later answers later',
    ],
    [
      'an object whose members would not be checked',
      () => {
        class Holder {
          @Type(() => Address)
          @IsDefined()
          a!: Address;
        }
        return compile(Holder);
      },
      'Holder.a: an object of a class needs @ValidateNested()',
    ],
    [
      'a nested object of no class',
      () => {
        class Holder {
          @ValidateNested()
          a!: unknown;
        }
        return compile(Holder);
      },
      'Holder.a: @ValidateNested() needs a @Type()',
    ],
    [
      'a conversion that would have no effect',
      () => {
        class Holder {
          @Transform(({ value }) => value as unknown)
          @TextField()
          a!: string;
        }
        return compile(Holder);
      },
      'a @Transform() beside it has no effect',
    ],
    [
      'a constraint that class-validator does not know',
      () => {
        class Undeclared implements ValidatorConstraintInterface {
          validate = (): boolean => false;
        }
        class Holder {
          @Validate(Undeclared)
          a!: string;
        }
        return compile(Holder);
      },
      'Holder.a: Undeclared lacks its @ValidatorConstraint()',
    ],
  ];
  it.each(refusals)('fails because of %s', (_, make, message) => {
    expect(make).toThrow(message);
  });

  it('accepts a constraint that does not declare itself asynchronous, and reading fails when it answers with a promise', () => {
    class Holder {
      @ValidateBy({ name: 'later', validator: { validate: () => Promise.resolve(true) } })
      a!: string;
    }
    expect(() => validateJson(compile(Holder), { a: 'x' }, 'body')).toThrow('Holder.a: later answered with a promise');
  });
});

describe('hostile input to stock decorators', () => {
  class Open {
    @Allow()
    anything?: unknown;

    @IsOptional()
    @Type(() => Number)
    @IsInt()
    number?: number;

    @IsOptional()
    @ValidateNested()
    @Type(() => Open)
    inner?: Open;
  }
  const schema = compile(Open);

  it.each<[string, string]>([
    [
      'a member called constructor',
      '{"anything":{"constructor":1,"a":{"constructor":{"x":1}}},"inner":{"constructor":1}}',
    ],
    ['members that conversions call', '{"number":{"valueOf":1,"toString":2},"inner":{"number":[{"toString":1}]}}'],
    ['a prototype of its own', '{"__proto__":{"number":1},"inner":{"__proto__":{"anything":1}}}'],
  ])('is answered: %s', (_, text) => {
    const result = validateJson(schema, JSON.parse(text), 'body');
    expect('value' in result || result.issues.length > 0).toBe(true);
  });

  it('is bounded in depth, and cannot be stored unsafe', () => {
    const deep = (open: string, close: string): unknown => JSON.parse(`${open.repeat(2_000)}1${close.repeat(2_000)}`);
    class Unasked {
      @ValidateIf(() => false)
      @TextField()
      text?: unknown;
    }
    expect(validateJson(compile(Unasked), { text: 7 }, 'body')).toEqual({ value: { text: 7 } });
    expect(validateJson(compile(Unasked), { text: ['a\0'] }, 'body')).toHaveProperty('issues');
    for (const body of [{ anything: deep('[', ']') }, { inner: deep('{"inner":', '}') }, { anything: ['\0'] }]) {
      expect(validateJson(schema, body, 'body')).toHaveProperty('issues');
    }
  });
});
