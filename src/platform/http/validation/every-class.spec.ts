import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate, validateSync } from 'class-validator';
import fc from 'fast-check';
import { propertiesOf } from './class-metadata.js';
import { compile, type Issue, issuesOf, type Kind, validateJson } from './index.js';
import { propertyRuns } from '../../../../test/support/property-runs.js';

const SOURCES = fileURLToPath(new URL('../../..', import.meta.url));
const DECLARES_FIELDS = /^ +@\w+Field\(/m;
const RUNS_PER_CLASS = 5;
const DEEP_RUNS_PER_CLASS = 12;

/**
 * Returns every exported class of the service that has fields. Titles contain the file, because several classes may
 * have the same name.
 */
async function classesOfService(): Promise<[name: string, cls: Type<object>][]> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .filter((file) => DECLARES_FIELDS.test(readFileSync(join(SOURCES, file), 'utf8')))
    .sort();
  const classes = new Map<Type<object>, string>();
  for (const file of files) {
    const exported = (await import(join(SOURCES, file))) as Record<string, unknown>;
    for (const [name, value] of Object.entries(exported)) {
      if (isClass(value) && propertiesOf(value).length > 0) classes.set(value, `${file}: ${name}`);
    }
  }
  return [...classes].map(([cls, name]) => [name, cls]);
}

function isClass(value: unknown): value is Type<object> {
  return typeof value === 'function' && typeof value.prototype === 'object';
}

/** Runs class-validator and class-transformer alone, without the compiled reader. */
function byTheLibraries(cls: Type<object>, body: object): { value: object } | { issues: Issue[] } {
  // Otherwise class-transformer would set a renamed field that is missing to undefined.
  const instance = plainToInstance(cls, body, { exposeUnsetFields: false });
  const errors = validateSync(instance, { whitelist: true });
  return errors.length > 0 ? { issues: issuesOf(cls, body, errors) } : { value: instance };
}

// Valid values, values that are read leniently, refused values, and each type of value in place of another.
const STRANGERS: readonly unknown[] = [
  ...[
    undefined,
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    7,
    1e300,
    '',
    ' ',
    'x',
    '7',
    '1.5',
    ' 12 ',
    'true',
    'no',
    '\0',
    '\ud800',
  ],
  ...['x'.repeat(300), 'ada@example.com', 'https://example.com/', '2025-01-02', '2025-01-02T03:04:05Z', 1_735_787_045],
  ...['4b1c7a52-2a0a-4b0e-9d4f-5d0b1f6c7a11', '4B1C7A522A0A4B0E9D4F5D0B1F6C7A11'],
  ...[[], {}, [1], ['x', 'x'], [null], [[]], { a: 1 }, { password: 'hunter2-hunter2' }, { all: [] }, { kind: 'match' }],
  { all: [{ field: 'event', op: 'eq', value: 'x' }], kind: 'match' },
];

function valueOf(kind: Kind<unknown>, depth: number): fc.Arbitrary<unknown> {
  if (kind.cls !== undefined) {
    if (depth > 2) return fc.constant({});
    const member = bodyOf(kind.cls() as Type<object>, depth + 1);
    return kind.repeats === true ? fc.array(member, { maxLength: 4 }) : member;
  }
  return documented(kind.document);
}

interface Documented {
  readonly type?: unknown;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Documented;
}

function documented(document: Documented): fc.Arbitrary<unknown> {
  if (document.enum !== undefined) return fc.constantFrom(...document.enum);
  switch (document.type) {
    case 'integer':
    case 'number':
      return fc.integer({ min: (document.minimum ?? -5) - 1, max: Math.min(document.maximum ?? 1_000, 1e9) + 1 });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(documented(document.items ?? {}), { maxLength: 4 });
    case 'string':
      return textOf(document);
    default:
      return fc.dictionary(
        fc.constantFrom('a', 'token', 'all', 'field', 'op', 'value', 'kind'),
        fc.jsonValue({ maxDepth: 2 }),
        {
          maxKeys: 4,
        },
      );
  }
}

function textOf({ format, pattern, minLength = 0, maxLength = 40 }: Documented): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'email') return fc.emailAddress();
  if (format === 'uri') return fc.webUrl();
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true, max: new Date('9999-01-01') }).map((date) => date.toISOString());
  if (format === 'date') return fc.constantFrom('2025-01-02', '2025-02-30');
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ minLength: Math.max(0, minLength - 1), maxLength: Math.min(maxLength, 60) + 1, unit: 'grapheme' });
}

function bodyOf(cls: Type<object>, depth = 0): fc.Arbitrary<Record<string, unknown>> {
  const members = propertiesOf(cls).map(({ wire, field }) => {
    if (field === undefined) throw new Error(`${cls.name}.${wire} has no field decorator`);
    const fitting = { weight: 12, arbitrary: valueOf(field.kind, depth) };
    return [wire, fc.oneof(fitting, { weight: 1, arbitrary: fc.constantFrom(...STRANGERS) })] as const;
  });
  return (
    fc
      .record({ ...Object.fromEntries(members), unknown: fc.constantFrom(...STRANGERS) })
      // JSON has no undefined members.
      .map((body) => JSON.parse(JSON.stringify(body)) as Record<string, unknown>)
      .filter((body) => !holdsConstructor(body))
  );
}

/**
 * Returns whether the value contains a member with one of these names, for which class-transformer fails: it uses the
 * member as the class of the object.
 */
function holdsConstructor(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([key, member]) => ['constructor', '__proto__'].includes(key) || holdsConstructor(member),
  );
}

describe('every class of the service', () => {
  let classes: [name: string, cls: Type<object>][];
  beforeAll(async () => {
    classes = await classesOfService();
  });

  it('is found in the compiled service', () => {
    expect(classes.length).toBeGreaterThan(200);
    expect(classes.map(([name]) => name)).toContain('modules/events/fields/event.dto.ts: IngestRequest');
  });

  it('is read by the compiled reader as by class-transformer and class-validator: the same rows, the same values', () => {
    const outcomes = { taken: 0, refused: 0 };
    for (const [name, cls] of classes) {
      const schema = compile(cls);
      fc.assert(
        fc.property(bodyOf(cls), (body) => {
          const compiled = validateJson(schema, body, 'body');
          outcomes['value' in compiled ? 'taken' : 'refused']++;
          expect({ name, ...byTheLibraries(cls, body) }).toStrictEqual({ name, ...compiled });
        }),
        { numRuns: propertyRuns(DEEP_RUNS_PER_CLASS, RUNS_PER_CLASS) },
      );
    }
    expect(Math.min(outcomes.taken, outcomes.refused)).toBeGreaterThan(classes.length);
  });

  it('is refused by class-validator alone, in words, with the declaration as context', async () => {
    for (const [name, cls] of classes) {
      const required = propertiesOf(cls).filter(({ field }) => field?.required);
      const errors = await validate(plainToInstance(cls, {}));
      expect({ name, refused: errors.map(({ property, constraints }) => [property, constraints]) }).toEqual({
        name,
        refused: expect.arrayContaining(required.map(({ key }) => [key, { field: 'Field required' }])) as unknown,
      });
      expect(errors).toHaveLength(required.length);
      for (const { property, contexts } of errors)
        expect(contexts?.['field']).toMatchObject({ field: { key: property } });
    }
  });
});
