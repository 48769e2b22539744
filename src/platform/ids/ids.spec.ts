import { describe, expect, it, jest } from '@jest/globals';
import { version } from 'uuid';
import { isUuid, newId, uuidV7At } from './ids.js';

describe('newId', () => {
  it('makes lower-case UUIDs of version 7', () => {
    const id = newId();
    expect(version(id)).toBe(7);
    expect(id).toBe(id.toLowerCase());
  });

  it('gives 20,000 different ids in ascending order', () => {
    const ids = Array.from({ length: 20_000 }, newId);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });

  it('keeps ascending when the host clock steps back', () => {
    const before = newId();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    const after = newId();
    clock.mockRestore();
    expect(after > before).toBe(true);
  });
});

describe('uuidV7At', () => {
  it('carries the given millisecond', () => {
    const id = uuidV7At(Date.UTC(2024, 0, 1));
    expect(version(id)).toBe(7);
    expect(parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(Date.UTC(2024, 0, 1));
    expect(uuidV7At(1) < uuidV7At(2)).toBe(true);
    expect(uuidV7At(5)).not.toBe(uuidV7At(5));
  });

  it('refuses a time that does not fit', () => {
    for (const ms of [-1, 2 ** 48, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => uuidV7At(ms)).toThrow(RangeError);
  });
});

describe('isUuid', () => {
  it('takes the hyphenated form of any version and case', () => {
    for (const text of [
      newId(),
      newId().toUpperCase(),
      '00000000-0000-0000-0000-000000000000',
      '11111111-1111-1111-1111-111111111111',
    ]) {
      expect(isUuid(text)).toBe(true);
    }
  });

  it('refuses everything else', () => {
    const id = newId();
    for (const text of [
      '',
      'x',
      id.replaceAll('-', ''),
      `{${id}}`,
      `${id}\n`,
      ` ${id}`,
      `${id}0`,
      id.replace(/^./, 'g'),
    ]) {
      expect(isUuid(text)).toBe(false);
    }
  });
});
