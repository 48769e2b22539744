import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { IngestRequest } from '../fields/index.js';
import { canonicalJson, requestHash } from './request-hash.js';

const hash = (request: object): string => requestHash(request as IngestRequest).toString('hex');

describe('the hash of a request', () => {
  const request = { event_type: 'a', source: 'b', payload: { x: 1, y: [1, { z: null }] } };

  it.each([
    ['the order of its fields', { payload: { y: [1, { z: null }], x: 1 }, source: 'b', event_type: 'a' }],
    ['what it does not know', { ...request, more: 1 }],
    ['fields that are absent', { ...request, severity: undefined }],
    ['where a property is', { event_type: 'a', source: 'b', properties: request.payload }],
    [
      'a property that another one takes the place of',
      { ...request, payload: { ...request.payload, x: 2 }, properties: { x: 1 } },
    ],
    ['a property whose place a field takes', { ...request, properties: { source: 'x' } }],
  ])('does not depend on %s', (_, other) => {
    expect(hash(other)).toBe(hash(request));
  });

  it.each([
    ['a value', { ...request, source: 'c' }],
    ['the order of a list', { ...request, payload: { x: 1, y: [{ z: null }, 1] } }],
    ['what a property means', { ...request, properties: { x: 2 } }],
    ['a field that is a property elsewhere', { ...request, properties: { severity: 'error' } }],
    ['a timestamp', { ...request, timestamp: new Date(0) }],
  ])('depends on %s', (_, other) => {
    expect(hash(other)).not.toBe(hash(request));
  });

  it('is of a text that means the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
