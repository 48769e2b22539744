// Values that a schema accepts, and values that no field should accept.
import { resolved } from './document.mjs';

const TIMES = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z', '2025-06-30T23:59:59+02:00'];
const FILTERS = [
  { all: [{ field: 'event', op: 'eq', value: 'a' }] },
  {
    any: [{ field: 'message', op: 'matches', value: 'a.*b' }, { not: { field: 'severity', op: 'eq', value: 'info' } }],
  },
  {
    all: [
      { field: 'properties.a', op: 'gte', value: 1 },
      { field: 'source', op: 'in', value: ['a', 'b'] },
    ],
  },
];

/** Values of fields whose schema is a free object or text, by the name of the field. */
const BY_NAME = {
  condition: (chance) => ({
    ...chance.pick([
      { kind: 'match' },
      { kind: 'threshold', window_seconds: 60, aggregate: 'count', op: 'gt', value: 1 },
      {
        kind: 'rate_of_change',
        window_seconds: 60,
        compare_seconds: 60,
        aggregate: 'count',
        direction: 'up',
        percent: 5,
      },
      { kind: 'absence', window_seconds: 60 },
    ]),
    ...chance.pick(FILTERS),
  }),
  filter: (chance) => chance.pick(FILTERS),
  configuration: (chance, world) =>
    chance.pick([
      { url: world.sink, headers: { 'X-Team': 'blue' } },
      { url: world.sink, method: 'PUT', retry_policy: { strategy: 'fixed' } },
      { to: ['fuzz@example.com'], subject_prefix: 'x' },
    ]),
  url: (_, world) => world.sink,
  target_url: (_, world) => world.sink,
  redirect_uri: () => 'https://app.example.com/callback',
  slug: (chance) => `fuzz-${chance.below(1e9)}`,
  timezone: (chance) => chance.pick(['UTC', 'Europe/Berlin', 'America/New_York']),
  group_by: (chance) => chance.pick([[], ['source'], ['properties.a']]),
  redacted_properties: (chance) => chance.pick([[], ['a.b'], ['*.c']]),
  before: (chance) => {
    const micros = chance.pick([chance.below(2e15), 0, -1, -210_866_803_200_001, 9_007_199_254_740_991]);
    return Buffer.from(`${micros}:0190b2c4-1111-7000-8000-000000000000`).toString('base64url');
  },
  current_password: (_, world) => world.password,
  password: (_, world) => world.password,
  username: (_, world) => world.owner.email,
  ends_at: () => new Date(Date.now() + 3_600_000).toISOString(),
  until: () => new Date(Date.now() + 3_600_000).toISOString(),
  allowed_origins: () => ['https://app.example.com'],
  header_name: () => 'X-Team',
  value: (chance) => chance.pick(['plain', 'Bearer {{secret:PAYMENTS_TOKEN}}', '{{secret:NONE}}', '{{secret:']),
  query: (chance) => chance.pick(['a', 'payment failed', '50%', '\\']),
};

/** Returns a value that `schema` accepts. It may contain ids of existing objects of `world`. */
export function valid(schema, chance, world, name = '', depth = 0) {
  const hint = BY_NAME[name];
  if (hint !== undefined && chance.is(0.9)) return hint(chance, world);
  if (/_id$/.test(name) && world.ids(name).length > 0 && chance.is(0.85)) return chance.pick(world.ids(name));
  const one = resolved(schema);
  if (one.example !== undefined && chance.is(0.4)) return one.example;
  if (one.enum !== undefined) return chance.pick(one.enum);
  const union = one.oneOf ?? one.anyOf;
  if (union !== undefined) return valid(chance.pick(union), chance, world, name, depth);
  if (one.allOf !== undefined) {
    const { allOf, ...own } = one;
    const parts = own.properties === undefined ? allOf : [...allOf, own];
    return Object.assign({}, ...parts.map((part) => valid(part, chance, world, name, depth)));
  }
  switch ([one.type].flat()[0]) {
    case 'string':
      return text(one, chance, name);
    case 'integer':
    case 'number': {
      const least = one.minimum ?? 0;
      return chance.pick([
        least,
        one.maximum ?? least + 100,
        chance.between(least, Math.min(one.maximum ?? 1000, least + 1000)),
      ]);
    }
    case 'boolean':
      return chance.is(0.5);
    case 'array': {
      const length = chance.between(one.minItems ?? 0, Math.min(one.maxItems ?? 3, 3));
      return Array.from({ length }, () => valid(one.items ?? {}, chance, world, name, depth + 1));
    }
    case 'null':
      return null;
    default: {
      const entries = Object.entries(one.properties ?? {}).filter(
        ([key]) => (one.required ?? []).includes(key) || (depth < 5 && chance.is(0.5)),
      );
      if (one.properties === undefined) return { a: chance.below(9), b: { c: 'd' } };
      return Object.fromEntries(entries.map(([key, part]) => [key, valid(part, chance, world, key, depth + 1)]));
    }
  }
}

function text({ format, minLength = 0, maxLength = 40 }, chance, name) {
  if (format === 'uuid') return '0190b2c4-1111-7000-8000-000000000000';
  if (format === 'email' || name === 'email') return `fuzz-${chance.below(1e9)}@example.com`;
  if (format === 'date-time' || /_(ts|at)$/.test(name)) return chance.pick(TIMES);
  if (format === 'date') return '2026-01-01';
  if (format === 'uri') return 'https://example.invalid/x';
  const length = chance.between(Math.max(minLength, 1), Math.max(minLength, Math.min(maxLength, 20)));
  return 'abcdefghijklmnopqrstuvwxyz'.repeat(Math.ceil(length / 26)).slice(0, length);
}

const nested = (open, close, depth) => JSON.parse(`${open.repeat(depth)}1${close.repeat(depth)}`);

/** Values that no field expects. */
const ODD = [
  () => null,
  () => true,
  (chance) => chance.pick([0, -0, -1, 1.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, -(2 ** 63), 5e-324]),
  () => '',
  () => ' ',
  () => 'a\0b',
  () => '\ud800',
  () => '\u202e\u200b',
  () => '😀'.repeat(100),
  (chance) => 'x'.repeat(chance.pick([81, 201, 256, 2_001, 60_000])),
  (chance) =>
    chance.pick([
      "'; DROP TABLE users; --",
      '{{7*7}}',
      '../../etc/passwd',
      '%00',
      '%',
      '\\',
      'NaN',
      'Infinity',
      '-0',
      '1e999',
    ]),
  (chance) =>
    chance.pick([
      'infinity',
      '-infinity',
      'epoch',
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59Z',
      '+275760-09-13T00:00:00Z',
      '2026-02-30T00:00:00Z',
    ]),
  (chance) =>
    Buffer.from(
      chance.pick(['-210866803200001:', '9e99:', '99999999999999999999:', ':']) +
        '0190b2c4-1111-7000-8000-000000000000',
    ).toString('base64url'),
  (chance) =>
    chance.pick([
      '0190b2c4-1111-7000-8000-00000000000',
      '{0190b2c4-1111-7000-8000-000000000000}',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
    ]),
  (chance) =>
    chance.pick([
      'http://127.0.0.1:1/',
      'http://[::1]/',
      'ftp://a/',
      'http://a b/',
      'https://example.invalid/?token=x',
      'http://169.254.169.254/',
    ]),
  () => [],
  () => ({}),
  () => [[]],
  () => [null, 1, 'a', {}],
  (chance) => nested('[', ']', chance.pick([60, 70, 500])),
  (chance) => nested('{"a":', '}', chance.pick([60, 70, 500])),
  () => Array.from({ length: 2_000 }, (_, at) => at),
  () => Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k${at}`, at])),
  () => JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{}},"":0,"a.b":1,"\\u0000":1}'),
  () => ({ kind: 'match', all: [{ field: 'message', op: 'matches', value: '(a|b)*a(a|b){20}' }] }),
  () => ({ kind: 'match', any: Array.from({ length: 100 }, () => ({ not: { field: 'x', op: 'eq', value: 1 } })) }),
];

export const odd = (chance) => chance.pick(ODD)(chance);

/** Returns the value with a part that it should not have. */
export function mutated(value, chance) {
  if (typeof value !== 'object' || value === null || chance.is(0.1)) return odd(chance);
  if (Array.isArray(value)) {
    if (value.length === 0) return [odd(chance)];
    const at = chance.below(value.length);
    return value.with(at, mutated(value[at], chance));
  }
  const keys = Object.keys(value);
  if (keys.length === 0 || chance.is(0.15))
    return { ...value, [chance.pick(['extra', 'id', '__proto__x', 'project_id'])]: odd(chance) };
  const key = chance.pick(keys);
  if (chance.is(0.15)) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  return { ...value, [key]: mutated(value[key], chance) };
}
