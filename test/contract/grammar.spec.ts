import { describe, expect, it } from '@jest/globals';
import { isCondition, isFilter, type Schemas } from '../../clients/typescript/src/index.js';
import { operations } from '../support/document.js';
import { validators } from '../support/documented-answers.js';

type StoredCondition = Schemas['StoredAlertCondition'];

const PROJECT = '0199f3a1-0000-7000-8000-000000000000';
const EVENT = { field: 'event', op: 'eq', value: 'payment.failed' };
const WINDOW = { window_seconds: 300 };
const THRESHOLD = { kind: 'threshold', ...WINDOW, aggregate: 'count', op: 'gt', value: 10 };
const CHANGE = {
  kind: 'rate_of_change',
  ...WINDOW,
  compare_seconds: 3600,
  aggregate: 'p95',
  aggregate_field: 'log.latency_ms',
  direction: 'up',
  percent: 50,
};

function takes(operationId: string, body: unknown): boolean {
  const found = operations.find(({ operation }) => operation.operationId === operationId)?.operation.requestBody;
  const schema = found?.content['application/json']?.schema;
  if (schema === undefined) throw new Error(`${operationId} takes no JSON`);
  return validators.ofRequest(schema)(structuredClone(body));
}

const rule = (condition: unknown): boolean =>
  takes('createAlertRule', { project_id: PROJECT, name: 'Payments', condition });
const silence = (filter: unknown): boolean =>
  takes('createAlertSilence', { project_id: PROJECT, filter, ends_at: '2027-01-01T00:00:00Z' });
const channel = (type: string, configuration: unknown): boolean =>
  takes('createDeliveryChannel', { project_id: PROJECT, name: 'On call', type, configuration });

const TAKEN: readonly (readonly [what: string, condition: object])[] = [
  ['a match', { kind: 'match', all: [EVENT, { field: 'properties.amount', op: 'gte', value: 100 }] }],
  ['a match of everything', { kind: 'match' }],
  ['groups in groups', { kind: 'match', any: [{ not: { all: [EVENT] } }, { any: [EVENT] }] }],
  ['a list of values', { kind: 'match', not: { field: 'severity', op: 'in', value: ['info', 'debug'] } }],
  ['a field that is there', { kind: 'match', all: [{ field: 'message', op: 'exists' }] }],
  ['a threshold', THRESHOLD],
  ['a threshold of a property', { ...THRESHOLD, aggregate: 'avg', aggregate_field: 'properties.amount' }],
  ['a rate of change', CHANGE],
  ['an absence', { kind: 'absence', ...WINDOW, all: [EVENT] }],
  ['every finding', { kind: 'anomaly' }],
  [
    'some findings',
    {
      kind: 'anomaly',
      finding_kinds: ['rate_drop', 'silence'],
      min_severity: 'critical',
      all: [{ field: 'score', op: 'gte', value: 0.9 }],
      not: { field: 'series_type', op: 'eq', value: 'event' },
    },
  ],
];

const REFUSED: readonly (readonly [what: string, condition: unknown])[] = [
  ['no condition', undefined],
  ['text', 'event = payment.failed'],
  ['no kind', { all: [EVENT] }],
  ['another kind', { kind: 'sometimes' }],
  ['a kind of findings that is none', { kind: 'anomaly', finding_kinds: ['flood'] }],
  ['no kind of findings', { kind: 'anomaly', finding_kinds: [] }],
  ['a field of events for findings', { kind: 'anomaly', all: [EVENT] }],
  ['a field of findings for events', { kind: 'match', all: [{ field: 'score', op: 'gte', value: 0.9 }] }],
  ['a misspelt member', { kind: 'match', every: [EVENT] }],
  ['an empty group', { kind: 'match', all: [] }],
  ['no list', { kind: 'match', any: EVENT }],
  ['a part of nothing', { kind: 'match', not: {} }],
  ['a comparison without a field', { kind: 'match', all: [{ op: 'eq', value: 'x' }] }],
  ['a comparison without a value', { kind: 'match', all: [{ field: 'event', op: 'eq' }] }],
  ['another operator', { kind: 'match', all: [{ ...EVENT, op: 'equals' }] }],
  ['another field', { kind: 'match', all: [{ ...EVENT, field: 'evnt' }] }],
  ['a property without a name', { kind: 'match', all: [{ ...EVENT, field: 'properties.' }] }],
  ['a comparison that is a group as well', { kind: 'match', all: [{ ...EVENT, any: [EVENT] }] }],
  ['an object for a value', { kind: 'match', all: [{ ...EVENT, value: { is: 'x' } }] }],
  ['no list for in', { kind: 'match', all: [{ ...EVENT, op: 'in', value: 'x' }] }],
  ['numbers of a field of text', { kind: 'match', all: [{ field: 'event', op: 'gt', value: 3 }] }],
  ['patterns in a field of numbers', { kind: 'match', all: [{ field: 'log.status', op: 'matches', value: '5' }] }],
  ['a threshold without a window', { ...THRESHOLD, window_seconds: undefined }],
  ['a window of a second', { ...THRESHOLD, window_seconds: 1 }],
  ['another aggregate', { ...THRESHOLD, aggregate: 'median' }],
  ['a sum of nothing', { ...THRESHOLD, aggregate: 'sum' }],
  ['a count of a field', { ...THRESHOLD, aggregate_field: 'log.status' }],
  ['a mean of text', { ...THRESHOLD, aggregate: 'avg', aggregate_field: 'event' }],
  ['a change of no percent', { ...CHANGE, percent: 0 }],
  ['a change sideways', { ...CHANGE, direction: 'sideways' }],
  ['an absence that compares', { kind: 'absence', ...WINDOW, op: 'gt' }],
];

/** What is wrong with these stands in no type, and what reads them can. */
const IN_FORM = new Set([
  'a kind of findings that is none',
  'no kind of findings',
  'a field of events for findings',
  'a field of findings for events',
  'a misspelt member',
  'another field',
  'a property without a name',
  'numbers of a field of text',
  'patterns in a field of numbers',
  'a window of a second',
  'another aggregate',
  'a sum of nothing',
  'a count of a field',
  'a mean of text',
  'a change of no percent',
  'a change sideways',
  'an absence that compares',
]);

describe('the grammar in the document', () => {
  it.each(TAKEN)('accepts %s as a condition', (_, condition) => {
    expect(rule(condition)).toBe(true);
    expect(isCondition(condition as StoredCondition)).toBe(true);
  });

  it.each(REFUSED)('refuses %s as a condition', (what, condition) => {
    expect(rule(condition)).toBe(false);
    if (typeof condition === 'object') expect(isCondition(condition as StoredCondition)).toBe(IN_FORM.has(what));
  });

  it('has fields of alert events for silences alone', () => {
    const byRule = { field: 'rule_name', op: 'starts_with', value: 'Pay' };
    expect([silence(byRule), silence({ any: [byRule, EVENT] })]).toEqual([true, true]);
    expect([isFilter(byRule), isFilter({ any: [byRule, EVENT] })]).toEqual([true, true]);
    expect([isFilter({}), isFilter({ not: {} }), isFilter({ ...byRule, value: 3 })]).toEqual([false, false, false]);
    expect(rule({ kind: 'match', all: [byRule] })).toBe(false);
    expect([silence({}), silence({ kind: 'match', all: [EVENT] }), silence([EVENT])]).toEqual([false, false, false]);
  });

  it('has a configuration for each type of channel', () => {
    const url = 'https://hooks.example.com/events';
    expect(channel('webhook', { url, method: 'PUT', headers: { 'X-Team': 'payments' } })).toBe(true);
    expect(channel('email', { to: ['ada@example.com'], retry_policy: { strategy: 'fixed' } })).toBe(true);
    const refused = [
      channel('webhook', { to: ['ada@example.com'] }),
      channel('webhook', { url: 'example' }),
      channel('webhook', { url, method: 'GET' }),
      channel('webhook', { url, headers: [] }),
      channel('webhook', { url, headers: { 'X-Team': { is: 'payments' } } }),
      channel('webhook', undefined),
      channel('email', { url }),
      channel('email', { to: [] }),
      channel('email', { to: ['ada'] }),
      channel('email', { to: ['ada@example.com'], retry_policy: { max_attempts: 101 } }),
      channel('pigeon', { url }),
    ];
    expect(refused).toEqual(refused.map(() => false));
  });

  it('tells the answers to one event and to a batch apart, and tokens from a challenge', () => {
    const answersOf = (id: string, status: string): unknown =>
      operations.find(({ operation }) => operation.operationId === id)?.operation.responses[status]?.content;
    expect(JSON.stringify(answersOf('ingestEvent', '200'))).toContain('IngestBatchResponse');
    expect(JSON.stringify(answersOf('logIn', '200'))).toContain('MfaChallengeResponse');
  });
});
