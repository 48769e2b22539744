import { describe, expect, it } from '@jest/globals';
import {
  any,
  boolean,
  compile,
  date,
  dateTime,
  email,
  int,
  type Kind,
  ListField,
  number,
  object,
  text,
  url,
  uuid,
  validateJson,
} from './index.js';
import { parseMoment } from './iso-time.js';

/** Returns what the kind reads from a JSON value: the converted value, or the type of the issue. */
function read(kind: Kind<unknown>, value: unknown): unknown {
  class Holder {}
  ListField(kind)(Holder.prototype, 'f');
  const result = validateJson(compile(Holder), { f: [value] }, 'body');
  return 'issues' in result ? result.issues[0]?.type : (result.value as { f: unknown[] }).f[0];
}

const ID = '550e8400-e29b-41d4-a716-446655440000';

describe('an integer field', () => {
  it.each([
    [12, 12],
    [12.0, 12],
    ['12', 12],
    [' 12\n', 12],
    ['1_000', 1000],
    ['+5', 5],
    ['-5', -5],
    ['007', 7],
    ['1.0', 1],
    ['1.00', 1],
    ['-0', 0],
    [-0, 0],
    [true, 1],
    [false, 0],
    [9007199254740991, 9007199254740991],
    ['-9007199254740991', -9007199254740991],
  ])('reads %p as %p', (value, expected) => {
    expect(read(int(), value)).toBe(expected);
  });

  it.each(['1.5', '0x10', '1e3', '', ' ', '1__0', '_1', '1_', '1.', '.0', '+-5', '- 5', '1 0', '１２', 'NaN', '1.0_0'])(
    'refuses the text %p',
    (value) => {
      expect(read(int(), value)).toBe('int_parsing');
    },
  );

  it.each(['9007199254740992', '9007199254740993', '-9007199254740993.0', '9'.repeat(500), 9007199254740992, -1e300])(
    'refuses %p rather than round it',
    (value) => {
      expect(read(int(), value)).toBe('int_parsing_size');
    },
  );

  it('compares integers beyond the exact range with its bounds first', () => {
    expect(read(int({ max: 100 }), '9'.repeat(30))).toBe('less_than_equal');
    expect(read(int({ min: 1 }), `-${'9'.repeat(500)}`)).toBe('greater_than_equal');
  });
});

describe('a number field', () => {
  it.each([
    [1.5, 1.5],
    [3, 3],
    ['1.5', 1.5],
    [' 12 ', 12],
    ['1e3', 1000],
    ['.5', 0.5],
    ['5.', 5],
    ['+1.5E-1', 0.15],
    ['1_000.5', 1000.5],
    [true, 1],
  ])('reads %p as %p', (value, expected) => {
    expect(read(number(), value)).toBe(expected);
  });

  it.each(['', '0x10', '1e', '1.5.5', '_1', '1__0', '.', '1e5x'])('refuses the text %p', (value) => {
    expect(read(number(), value)).toBe('float_parsing');
  });

  it.each([Number.POSITIVE_INFINITY, 'inf', '-Infinity', 'nan', '1e400'])(
    'refuses %p, which is not finite',
    (value) => {
      expect(read(number(), value)).toBe('value_error');
    },
  );
});

describe('a boolean field', () => {
  it.each([true, 1, 1.0, 'true', 'TRUE', '1', 'on', 'Yes', 't', 'Y'])('reads %p as true', (value) => {
    expect(read(boolean(), value)).toBe(true);
  });

  it.each([false, 0, 'false', 'False', '0', 'OFF', 'no', 'f', 'n'])('reads %p as false', (value) => {
    expect(read(boolean(), value)).toBe(false);
  });

  it.each([' true', '', '2', 'nope', 2, -1])('cannot interpret %p', (value) => {
    expect(read(boolean(), value)).toBe('bool_parsing');
  });

  it.each([1.5, null, {}])('takes %p for another type', (value) => {
    expect(read(boolean(), value)).toBe('bool_type');
  });
});

describe('a UUID field', () => {
  it.each([ID, ID.toUpperCase(), ID.replaceAll('-', ''), `{${ID}}`, `urn:uuid:${ID}`])(
    'accepts and normalizes %s',
    (value) => {
      expect(read(uuid(), value)).toBe(ID);
    },
  );

  it.each([
    '',
    ` ${ID}`,
    ID.slice(1),
    `${ID}-`,
    `{${ID}`,
    `URN:UUID:${ID}`,
    `{${ID.replaceAll('-', '')}}`,
    ID.replace('5', 'g'),
  ])('refuses the text %p', (value) => {
    expect(read(uuid(), value)).toBe('uuid_parsing');
  });
});

describe('a date-time field', () => {
  it.each([
    ['2025-01-02', '2025-01-02T00:00:00.000Z'],
    ['2025-01-02T03:04', '2025-01-02T03:04:00.000Z'],
    ['2025-01-02 03:04:05z', '2025-01-02T03:04:05.000Z'],
    ['2025-01-02t03:04:05.5', '2025-01-02T03:04:05.500Z'],
    ['2025-01-02T03:04:05.999999Z', '2025-01-02T03:04:05.999Z'],
    ['2025-01-02T03:04:05+05:30', '2025-01-01T21:34:05.000Z'],
    ['2025-01-02T03:04:05-0100', '2025-01-02T04:04:05.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    [1735787045, '2025-01-02T03:04:05.000Z'],
    [1735787045.25, '2025-01-02T03:04:05.250Z'],
    [1735787045123, '2025-01-02T03:04:05.123Z'],
    ['1735787045', '2025-01-02T03:04:05.000Z'],
    ['1735787045123', '2025-01-02T03:04:05.123Z'],
    [-0.5, '1969-12-31T23:59:59.500Z'],
  ])('reads %p as %s', (value, expected) => {
    expect((read(dateTime(), value) as Date).toISOString()).toBe(expected);
  });

  it.each([
    '',
    'yesterday',
    '2025-1-2',
    '2025-02-30',
    '2025-02-30T00:00:00Z',
    '1900-02-29',
    '2025-13-01',
    '2025-01-00',
    '0000-01-01',
    '10000-01-01',
    '2025-01-02T',
    '2025-01-02T24:00',
    '2025-01-02T03:04:60',
    '2025-01-02T03:04:05.',
    '2025-01-02T03:04:05 Z',
    '2025-01-02T03:04:05+24:00',
    ' 2025-01-02',
    '2025-01-02 ',
    '1e9',
    '9'.repeat(60),
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '20250102T030405Z',
  ])('refuses the text %p', (value) => {
    expect(read(dateTime(), value)).toBe('datetime_from_date_parsing');
  });

  it.each([
    ['2025-01-02T24:00', 'hour value is outside expected range of 0-23'],
    ['2025-01-02T03:60', 'minute value is outside expected range of 0-59'],
    ['2016-12-31T23:59:60Z', 'leap seconds are not supported, expected a second of 0-59'],
    ['2025-01-02T03:04:61', 'second value is outside expected range of 0-59'],
    ['2025-01-02T03:04:05+24:00', 'timezone offset must be less than 24 hours'],
    ['2025-01-02T03:04:05 02:00', 'timezone offset has no sign, write + as %2B in a URL'],
    ['2025-01-02T03:04:05.123 0200', 'timezone offset has no sign, write + as %2B in a URL'],
    ['2025-01-02T03:04:05 Z', 'unexpected extra characters at the end of the input'],
  ])('says what is wrong with %p', (value, error) => {
    expect(parseMoment(value)).toBe(error);
  });

  it('refuses timestamps outside the years 1 to 9999 and other types', () => {
    expect(read(dateTime(), 253402300800000)).toBe('datetime_parsing');
    expect(read(dateTime(), -62135596800001)).toBe('datetime_parsing');
    expect(read(dateTime(), true)).toBe('datetime_type');
    expect(read(dateTime(), null)).toBe('datetime_type');
  });
});

describe('a date field', () => {
  it.each([
    ['2025-01-02', '2025-01-02'],
    ['2025-01-02T00:00:00Z', '2025-01-02'],
    ['2025-01-02 00:00+01:00', '2025-01-02'],
    [1735776000, '2025-01-02'],
    ['1735776000', '2025-01-02'],
    ['0001-01-01', '0001-01-01'],
  ])('reads %p as %s', (value, expected) => {
    expect(read(date(), value)).toBe(expected);
  });

  it('tells unreadable text, times of day and other types apart', () => {
    expect(read(date(), '2025-02-30')).toBe('date_from_datetime_parsing');
    expect(read(date(), '2025-01-02T03:00')).toBe('date_from_datetime_inexact');
    expect(read(date(), 1735787045)).toBe('date_from_datetime_inexact');
    expect(read(date(), null)).toBe('date_type');
  });
});

describe('a URL field', () => {
  it.each(['http://a', 'https://user@host:8443/p/a?t=h#x', 'HTTPS://é.example/', 'http://[::1]:80/'])(
    'takes %s as given',
    (value) => {
      expect(read(url(), value)).toBe(value);
    },
  );

  it.each([
    '',
    'foo',
    '/path',
    '//host',
    'http://',
    'http:host',
    'http:///x',
    'http://a b',
    ' http://a',
    'http://a\n/b',
    'http://a\\b',
    'http://a:99999',
    'http://[::1',
    'http://256.1.1.1',
  ])('cannot read %p', (value) => {
    expect(read(url(), value)).toBe('url_parsing');
  });

  it('refuses other schemes, other types and excessive length', () => {
    expect(read(url(), 'javascript:alert(1)')).toBe('url_scheme');
    expect(read(url({ schemes: ['https'] }), 'http://a')).toBe('url_scheme');
    expect(read(url(), null)).toBe('url_type');
    expect(read(url(), `http://a/${'x'.repeat(2083)}`)).toBe('url_too_long');
  });
});

describe('an e-mail field', () => {
  it.each(['ada@example.com', "o'neil+tag@sub.example.co", 'é@bücher.example', 'ADA@EXAMPLE.COM', 'a@x.test'])(
    'takes %s as given',
    (value) => {
      expect(read(email(), value)).toBe(value);
    },
  );

  it.each([
    '',
    'ada',
    '@example.com',
    'ada@',
    'ada@host',
    'a@b@c.de',
    'a b@c.de',
    '.a@c.de',
    'a.@c.de',
    'a..b@c.de',
    'a@.c.de',
    'a@c.de.',
    'a@c..de',
    'a@-c.de',
    'a@c_d.de',
    'a@1.2.3.4',
    'A <a@b.co>',
    `${'x'.repeat(65)}@b.co`,
    `a@${'b'.repeat(64)}.co`,
    `a@${'b.'.repeat(130)}co`,
  ])('refuses the address %p', (value) => {
    expect(read(email(), value)).toBe('value_error');
  });

  it.each([' a@b.co', 'a@b.co ', '\t a@b.co\r\n', '\u00a0a@b.co'])('takes %j without the blanks around it', (value) => {
    expect(read(email(), value)).toBe('a@b.co');
  });

  it('takes 254 characters and no more', () => {
    const domain = `${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example`;
    const longest = `${'a'.repeat(254 - domain.length - 1 - 1)}@${domain}`.padStart(254, 'a');
    expect(longest).toHaveLength(254);
    expect(read(email(), longest)).toBe(longest);
    expect(read(email(), `a${longest}`)).toBe('value_error');
  });
});

describe('a text field', () => {
  it('counts code points, not UTF-16 units', () => {
    expect(read(text({ max: 2 }), '😀😀')).toBe('😀😀');
    expect(read(text({ min: 3 }), '😀😀')).toBe('string_too_short');
    expect(read(text({ max: 2 }), '😀😀😀')).toBe('string_too_long');
  });

  it('trims only when asked to, and before counting', () => {
    expect(read(text({ min: 1 }), ' ')).toBe(' ');
    expect(read(text({ min: 1, trim: true }), ' ')).toBe('string_too_short');
    expect(read(text({ trim: true, pattern: /^a$/ }), ' a\n')).toBe('a');
  });

  it.each([text(), email(), url(), uuid(), dateTime(), int()])(
    'refuses NUL and unpaired surrogates in every kind (%#)',
    (kind) => {
      expect(read(kind, 'a\u0000@b.co')).toBe('value_error');
      expect(read(kind, '\ud800')).toBe('value_error');
      expect(read(kind, 'x\udc00x')).toBe('value_error');
    },
  );
});

describe('a free JSON field', () => {
  it('gives objects out as they were parsed', () => {
    const value: unknown = JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":1},"a":[null,"é😀"]}');
    expect(read(object(), value)).toBe(value);
    expect(Object.hasOwn(value as object, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  it.each([null, 1, 'x', false, [[]], {}])('reads %p where any JSON value is allowed', (value) => {
    expect(read(any(), value)).toBe(value);
  });

  it('takes 64 levels and no more', () => {
    const nest = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`);
    expect(typeof read(object(), nest(64))).toBe('object');
    expect(read(object(), nest(65))).toBe('value_error');
    expect(read(any(), nest(65))).toBe('value_error');
  });

  it('refuses numbers that are not finite', () => {
    expect(read(object(), JSON.parse('{"a":[1e400]}'))).toBe('value_error');
    expect(read(any(), JSON.parse('-1e400'))).toBe('value_error');
  });
});
