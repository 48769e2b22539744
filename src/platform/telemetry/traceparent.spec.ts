import { describe, expect, it } from '@jest/globals';
import { traceIdOf, traceparentFrom } from './traceparent.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const VALID = `00-${TRACE}-00f067aa0ba902b7-01`;

describe('A traceparent', () => {
  it('is taken as it is when it is valid, and names its trace', () => {
    const read = traceparentFrom(VALID);
    expect(read).toBe(VALID);
    expect(read && traceIdOf(read)).toBe(TRACE);
  });

  it.each([`cc${VALID.slice(2)}`, `cc${VALID.slice(2)}-and.more`])(
    'is read as version 00 from a later version: %s',
    (header) => {
      expect(traceparentFrom(header)).toBe(VALID);
    },
  );

  it.each([
    undefined,
    '',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    VALID.toUpperCase(),
    `${VALID}-more`,
    `ff${VALID.slice(2)}`,
    `cc${VALID.slice(2)}.more`,
    `${VALID}, ${VALID}`,
    `${VALID} `,
    `cc${VALID.slice(2)}-${'x'.repeat(600)}`,
  ])('is ignored when it is malformed: %j', (header) => {
    expect(traceparentFrom(header)).toBeUndefined();
  });
});
