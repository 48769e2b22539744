import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeCursor, encodeCursor } from './cursor.js';

const FIRST = new Date('0001-01-01T00:00:00.000Z');
const LAST = new Date('9999-12-31T23:59:59.999Z');
const ID = '0199f3a1-0000-7000-8000-000000000000';

describe('the cursor of a list of events', () => {
  it('comes back as it was given', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, min: FIRST, max: LAST }), fc.uuid(), (timestamp, id) => {
        expect(decodeCursor(encodeCursor({ timestamp, id }))).toEqual({ timestamp, id });
      }),
    );
  });

  it('is refused when it is anything else', () => {
    const good = encodeCursor({ timestamp: new Date(1_700_000_000_000), id: '0199f3a1-0000-7000-8000-000000000000' });
    const written = (text: string): string => Buffer.from(text).toString('base64url');
    for (const text of [
      '',
      'x',
      `${good}A`,
      good.slice(0, -1),
      `${good}=`,
      written('1700000000000'),
      written('1700000000000:no-id'),
      written('1e3:0199f3a1-0000-7000-8000-000000000000'),
      written('9999999999999999:0199f3a1-0000-7000-8000-000000000000'),
      written('01700000000000:0199f3a1-0000-7000-8000-000000000000'),
      written(`-210866803200001:${ID}`),
      written(`${FIRST.getTime() - 1}:${ID}`),
      written(`${LAST.getTime() + 1}:${ID}`),
    ])
      expect([text, decodeCursor(text)]).toEqual([text, null]);
    fc.assert(fc.property(fc.string(), (text) => expect(decodeCursor(text)).toBeNull()));
  });
});
