import { describe, expect, it } from '@jest/globals';
import { isUuid } from '../ids/index.js';
import { requestIdFrom } from './request-id.js';

describe('requestIdFrom', () => {
  it('takes 1 to 128 visible ASCII characters as they are', () => {
    for (const header of ['a', 'trace-01/ABC:~!', 'x'.repeat(128)]) expect(requestIdFrom(header)).toBe(header);
  });

  it('makes a new id for anything else', () => {
    for (const header of [
      undefined,
      '',
      ' ',
      'two words',
      'x'.repeat(129),
      'tab\there',
      'line\n',
      'Größe',
      'nul\u0000',
      '\u007f',
    ]) {
      const id = requestIdFrom(header);
      expect(isUuid(id)).toBe(true);
      expect(requestIdFrom(header)).not.toBe(id);
    }
  });
});
