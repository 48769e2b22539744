import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { failed, ValidationError, compile, validateJson } from '../../../platform/http/validation/index.js';
import { EVENT_FIELDS, type FilterNode, type FilterSubject } from './filter.js';
import { FilterField, filterVocabulary } from './filter-kind.js';
import { FilterReader } from './filter-reader.js';
import { compileFilter } from './matcher.js';
import { propertyRuns } from '../../../../test/support/property-runs.js';

class Holder {
  @FilterField(filterVocabulary('Event', EVENT_FIELDS))
  filter!: FilterNode;
}

function issuesOf(filter: unknown): [string, string][] {
  const result = validateJson(compile(Holder), { filter }, 'body');
  return 'issues' in result ? result.issues.map(({ loc, msg }) => [loc.slice(2).join('.'), msg]) : [];
}

function fits(filter: unknown, subject: Partial<FilterSubject>): boolean {
  const node = new FilterReader(EVENT_FIELDS).node(filter, 1);
  if (failed(node)) throw new ValidationError([]);
  return compileFilter(node, 'project')({ fields: {}, properties: {}, ...subject });
}

const PAYMENT: FilterSubject = {
  fields: { event: 'payment.failed', source: 'api', severity: null, 'log.status': 500, 'log.latency_ms': 41 },
  properties: {
    amount: 120,
    currency: 'EUR',
    retried: false,
    tags: ['vip', 7],
    card: { brand: 'visa', number: null },
    'http.status_code': 502,
    items: [{ sku: 'a-1' }],
    text: '120',
  },
};

describe('a filter', () => {
  it.each<[string, string, unknown, boolean]>([
    ['event', 'eq', 'payment.failed', true],
    ['event', 'eq', 'payment.ok', false],
    ['event', 'ne', 'payment.ok', true],
    ['event', 'in', ['a', 'payment.failed'], true],
    ['event', 'contains', 'fail', true],
    ['event', 'starts_with', 'payment.', true],
    ['event', 'matches', '^payment\\.(failed|expired)$', true],
    ['log.status', 'gte', 500, true],
    ['log.status', 'lt', 500, false],
    ['log.latency_ms', 'lte', '41', true],
    ['properties.amount', 'gt', 100, true],
    ['properties.amount', 'eq', '120', false],
    ['properties.text', 'eq', '120', true],
    ['properties.text', 'gt', 100, false],
    ['properties.retried', 'eq', false, true],
    ['properties.tags', 'contains', 'vip', true],
    ['properties.tags', 'contains', 7, true],
    ['properties.tags', 'contains', 'vi', false],
    ['properties.tags.1', 'eq', 7, true],
    ['properties.items.0.sku', 'starts_with', 'a-', true],
    ['properties.card.brand', 'eq', 'visa', true],
    ['properties.card.number', 'exists', true, false],
    ['properties.card', 'exists', true, true],
    ['properties.http.status_code', 'eq', 502, true],
    ['properties.constructor', 'exists', true, false],
    ['properties.__proto__', 'exists', true, false],
    ['severity', 'exists', false, true],
    ['severity', 'ne', 'critical', true],
    ['severity', 'eq', 'critical', false],
    ['severity', 'contains', 'c', false],
  ])('evaluates %s %s %p for a payment to %p', (field, op, value, expected) => {
    expect(fits({ field, op, value }, PAYMENT)).toBe(expected);
  });

  it('nests all, any and not, and a group of several needs each of them', () => {
    const high = { field: 'properties.amount', op: 'gte', value: 100 };
    const euro = { field: 'properties.currency', op: 'eq', value: 'EUR' };
    const dollar = { field: 'properties.currency', op: 'eq', value: 'USD' };
    expect(fits({ all: [high, { any: [dollar, { not: dollar }] }] }, PAYMENT)).toBe(true);
    expect(fits({ all: [high], any: [dollar], not: euro }, PAYMENT)).toBe(false);
    expect(fits({ all: [high], any: [euro, dollar], not: dollar }, PAYMENT)).toBe(true);
  });

  it.each<[unknown, [string, string][]]>([
    ['x', [['', 'Input should be a valid dictionary or object to extract fields from']]],
    [{}, [['', 'Value error, a filter is all, any or not, or a comparison of field, op and value']]],
    [{ all: [] }, [['all', 'List should have at least 1 item after validation, not 0']]],
    [{ al: [] }, [['al', 'Value error, unknown member; known here are all, any, not']]],
    [{ field: 'event' }, [['op', 'Field required']]],
    [
      {
        all: [
          { field: 'event', op: 'eq' },
          { field: 'event', op: 'gt', value: 1 },
        ],
      },
      [
        ['all.0.value', 'Field required'],
        ['all.1.op', 'Value error, gt compares numbers, and event is text'],
      ],
    ],
    [
      { not: { any: [{ field: 'message', op: 'matches', value: '(a' }] } },
      [['not.any.0.value', "Value error, the pattern cannot be used: missing ')'"]],
    ],
    [
      { field: 'properties.', op: 'exists' },
      [['field', 'Value error, a property is named by 1 to 16 names with dots between']],
    ],
    [
      { field: 'log.status', op: 'contains', value: '5' },
      [['op', 'Value error, contains looks into text, and log.status is a number']],
    ],
    [{ field: 'log.status', op: 'eq', value: '500' }, [['value', 'Input should be a valid number']]],
    [{ field: 'event', op: 'in', value: ['a', 1] }, [['value.1', 'Input should be a valid string']]],
    [
      { field: 'properties.a', op: 'eq', value: {} },
      [['value', 'Value error, a value is text, a number, true or false']],
    ],
  ])('is refused at the place of the fault: %j', (filter, expected) => {
    expect(issuesOf(filter)).toEqual(expected);
  });

  it('names the fields there are', () => {
    const [[place, message] = []] = issuesOf({ field: 'evnt', op: 'exists' });
    expect([place, message]).toEqual(['field', expect.stringContaining('event, source, source_id, severity')]);
  });

  it('names the operators there are', () => {
    const [[place, message] = []] = issuesOf({ field: 'event', op: '==', value: 1 });
    expect([place, message]).toEqual(['op', expect.stringContaining("'eq', 'ne', 'in'")]);
  });

  it('is bounded in depth and size', () => {
    const leaf = { field: 'event', op: 'exists' };
    const deep = Array.from({ length: 9 }).reduce<unknown>((inner) => ({ not: inner }), leaf);
    expect(issuesOf(deep).map(([, message]) => message)).toEqual(['Value error, filters nest at most 8 levels deep']);
    expect(issuesOf({ any: Array(99).fill(leaf) })).toEqual([]);
    expect(issuesOf({ any: Array(5_000).fill(leaf) }).map(([, message]) => message)).toEqual([
      'Value error, a filter has at most 100 parts',
    ]);
  });
});

const scalar = fc.oneof(fc.constantFrom('', 'a', 'ab', '1'), fc.integer({ min: -2, max: 2 }), fc.boolean());
const held = fc.option(fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), { nil: undefined });
const subjects = fc.record({ a: held, b: held }).map((properties) => ({ fields: {}, properties }));
const leaves = fc.tuple(
  fc.constantFrom('properties.a', 'properties.b'),
  fc.oneof(
    fc.tuple(fc.constantFrom('eq', 'ne'), scalar),
    fc.tuple(
      fc.constant('contains'),
      scalar.filter((value) => value !== ''),
    ),
    fc.tuple(fc.constant('in'), fc.array(scalar, { minLength: 1, maxLength: 3 })),
    fc.tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte'), fc.integer({ min: -2, max: 2 })),
    fc.tuple(fc.constantFrom('starts_with', 'matches'), fc.constantFrom('a', 'b')),
    fc.tuple(fc.constant('exists'), fc.boolean()),
  ),
);

describe('the meaning of filters', () => {
  it('holds its laws for every value, missing ones included', () => {
    fc.assert(
      fc.property(leaves, leaves, subjects, ([field, [op, value]], [otherField, [otherOp, other]], subject) => {
        const one = { field, op, value };
        const two = { field: otherField, op: otherOp, value: other };
        const of = (filter: unknown): boolean => fits(filter, subject);
        expect(of({ not: one })).toBe(!of(one));
        expect(of({ not: { all: [one, two] } })).toBe(of({ any: [{ not: one }, { not: two }] }));
        expect(of({ all: [one], any: [two] })).toBe(of(one) && of(two));
        if (op === 'eq') expect(of({ ...one, op: 'ne' })).toBe(!of(one));
        if (op === 'in') {
          expect(of(one)).toBe(of({ any: (value as unknown[]).map((item) => ({ field, op: 'eq', value: item })) }));
        }
        const isMissing = !of({ field, op: 'exists', value: true });
        if (isMissing) expect(of(one)).toBe(op === 'ne' || (op === 'exists' && !value));
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});
