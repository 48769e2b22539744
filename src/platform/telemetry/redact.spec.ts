import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { redact } from './redact.js';

const key = `oes_${'a1'.repeat(4)}_${'Zz09'.repeat(9)}Zz`;

describe('redact', () => {
  it('hides fields with the names of credentials at any depth', () => {
    const value = {
      headers: { authorization: 'Bearer x', Cookie: 'a=b', 'X-API-Key': 'k', accept: '*/*' },
      list: [{ user: { newPassword: 'p', refresh_token: 't', name: 'Ada' } }],
      clientSecret: { nested: 'object' },
      recovery_codes: ['1', '2'],
    };
    expect(redact(value)).toEqual({
      headers: { authorization: '[redacted]', Cookie: '[redacted]', 'X-API-Key': '[redacted]', accept: '*/*' },
      list: [{ user: { newPassword: '[redacted]', refresh_token: '[redacted]', name: 'Ada' } }],
      clientSecret: '[redacted]',
      recovery_codes: '[redacted]',
    });
  });

  it('shows that a credential is missing or a flag', () => {
    expect(redact({ password: null, token: '', secret: undefined, requires_password: true })).toEqual({
      password: null,
      token: '',
      requires_password: true,
    });
  });

  it('masks credentials inside texts', () => {
    expect(redact({ note: `used ${key}`, url: new URL('https://u:p@a.example/?token=q') })).toEqual({
      note: 'used [redacted]',
      url: 'https://[redacted]@a.example/?token=[redacted]',
    });
    expect(redact('Authorization: Bearer abc')).toBe('Authorization: [redacted]');
  });

  it('spells errors out with cause and parts, without what drivers attach', () => {
    const cause = Object.assign(new Error('duplicate key'), {
      code: '23505',
      constraint: 'users_email_key',
      parameters: ['hash'],
      detail: 'Key (email)=(a)',
    });
    const error = new AggregateError([new TypeError(`bad ${key}`)], 'several token=abc', { cause });
    const copy = redact(error);
    expect(copy).toMatchObject({
      type: 'AggregateError',
      message: 'several token=[redacted]',
      stack: expect.stringContaining('redact.spec'),
      cause: { type: 'Error', message: 'duplicate key', code: '23505', constraint: 'users_email_key' },
      errors: [{ type: 'TypeError', message: 'bad [redacted]' }],
    });
    expect(JSON.stringify(copy)).not.toMatch(/parameters|Key \(email\)|oes_|=abc/);
  });

  it('survives cycles, big integers, hostile getters and odd values', () => {
    const cyclic: Record<string, unknown> = {
      big: 2n ** 70n,
      when: new Date(0),
      bytes: Buffer.from('abc'),
      nan: Number.NaN,
      act: () => 1,
    };
    cyclic['self'] = cyclic;
    Object.defineProperty(cyclic, 'trap', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(redact(cyclic)).toEqual({
      big: '1180591620717411303424',
      when: '1970-01-01T00:00:00.000Z',
      bytes: '[3 bytes]',
      nan: 'NaN',
      act: '[function]',
      self: '[circular]',
      trap: '[unreadable]',
    });
    const shared = { a: 1 };
    expect(redact([shared, shared])).toEqual([{ a: 1 }, { a: 1 }]);
    expect(redact(new Map([['password', 'x']]))).toEqual({ password: '[redacted]' });
    const own = redact(JSON.parse('{"__proto__":{"password":"x"}}') as unknown);
    expect(JSON.stringify(own)).toBe('{"__proto__":{"password":"[redacted]"}}');
  });

  it('bounds depth, length and number of entries', () => {
    let deep: unknown = 'end';
    for (let i = 0; i < 50; i++) deep = { deep };
    expect(JSON.stringify(redact(deep))).toContain('[too deep]');
    expect((redact('x'.repeat(100_000)) as string).length).toBeLessThan(9_000);
    expect(redact(Array.from({ length: 500 }, () => 1))).toHaveLength(101);
  });

  it('makes something JSON can write of every value', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withNullPrototype: true,
          withTypedArray: true,
        }),
        (value) => {
          expect(typeof JSON.stringify(redact(value))).toBe('string');
        },
      ),
    );
  });
});
