// Generates requests: those that the document allows, and the same with one fault.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { operations } from './document.mjs';
import { malformed } from './malformed.mjs';
import { mutated, odd, valid } from './values.mjs';

const METHODS =
  'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND MKCOL LOCK SEARCH M-SEARCH LINK QUERY PURGE'.split(' ');
const ENCODINGS = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  'x-gzip': gzipSync,
  'gzip, br': (bytes) => brotliCompressSync(gzipSync(bytes)),
  raw: deflateRawSync,
  zstd: (bytes) => bytes,
  identity: (bytes) => bytes,
  rot13: (bytes) => bytes,
  '': (bytes) => bytes,
};
const TYPES = [
  undefined,
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/json;charset="UTF-8"',
  'application/x-ndjson',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  'application/octet-stream',
  'a/b/c;;=',
  'application/JSON',
];
const PIECES = [
  '%00',
  '%',
  '%zz',
  '%E0%A4%A',
  '..',
  '.',
  '%2e%2e',
  '//',
  ';a=1',
  '%0d%0aX: 1',
  '%F0%9F%92%A9',
  'x'.repeat(3_000),
  '%2f',
  '\\',
  '{id}',
  '*',
];

/** Operations that delete or revoke what other requests need. They are chosen rarely. */
const ENDS_ALL =
  /\/(account\/delete|logout|revoke|sessions|archive|password|email-change|rotate)|^DELETE \/v1\/(projects|organizations)/;

function operationBy(chance) {
  for (;;) {
    const one = chance.pick(operations);
    if (!ENDS_ALL.test(`${one.method} ${one.path}`) && !ENDS_ALL.test(one.path)) return one;
    if (chance.is(0.05)) return one;
  }
}

/** Returns a request as documented. */
function plain(chance, world, one = operationBy(chance)) {
  const { method, path, operation } = one;
  const parameters = operation.parameters ?? [];
  const isFound = chance.is(0.85);
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    if (name === 'project_id' || name === 'organization_id') return world.owner.ids[name];
    const ids = world.ids(name);
    if (ids.length > 0 && isFound) return chance.pick(ids);
    return name.endsWith('_id') ? '0190b2c4-1111-7000-8000-000000000000' : 'X-Team';
  });
  const query = [];
  const headers = {};
  for (const { name, in: place, required, schema = {} } of parameters) {
    if (place === 'query' && (required || name === 'project_id' || chance.is(0.4))) {
      const value = name === 'project_id' ? world.owner.projectId : valid(schema, chance, world, name);
      for (const item of [value].flat()) query.push([name, String(item)]);
    } else if (place === 'header' && (required || chance.is(0.2)) && !/key|token/i.test(name)) {
      headers[name] = `fuzz-${chance.below(50)}`;
    }
  }
  const request = {
    kind: 'as documented',
    actor: actorOf(operation, chance),
    method,
    path: target,
    query,
    headers,
    operation,
  };
  const content = operation.requestBody?.content ?? {};
  const [type, { schema } = {}] = Object.entries(content)[0] ?? [];
  if (type === undefined) return request;
  // The body is the content of an object, or of a part of one.
  if (schema.format === 'binary') {
    headers['Content-Type'] = chance.pick([type, 'text/plain', 'text/html', 'multipart/form-data; boundary=b', 'x']);
    return { ...request, body: chance.bytes(chance.pick([0, 1, 20, 5_000])) };
  }
  const value = valid(schema, chance, world);
  if ('project_id' in value) value.project_id = world.owner.projectId;
  if ('organization_id' in value) value.organization_id = world.owner.ids.organization_id;
  headers['Content-Type'] = type;
  return { ...request, value, isForm: type.includes('form') };
}

function actorOf(operation, chance) {
  const right = { 'api-key': 'key', internal: 'internal', public: 'nobody', provider: 'nobody' };
  const access = operation['x-access'] ?? '';
  const usual = Object.entries(right).find(([name]) => access.startsWith(name))?.[1] ?? 'owner';
  return chance.weighted([
    [14, usual],
    [2, 'other'],
    [1, 'nobody'],
    [1, 'key'],
    [2, 'owner'],
  ]);
}

const VARIANTS = {
  'as documented': (request) => request,
  'wrong value in the body': (request, chance) => {
    if (request.value === undefined)
      return { ...request, value: odd(chance), headers: { 'Content-Type': 'application/json' } };
    let { value } = request;
    for (let times = chance.between(1, 3); times > 0; times -= 1) value = mutated(value, chance);
    return { ...request, value };
  },
  'bytes that are no body': (request, chance) => {
    const whole = Buffer.from(JSON.stringify(request.value ?? { a: 1 }));
    const body = chance.pick([
      () => chance.bytes(chance.between(1, 300)),
      () => whole.subarray(0, chance.below(whole.length)),
      () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), whole]),
      () => Buffer.from(whole.toString(), 'utf16le'),
      () => whole.map((byte, at) => (at === whole.length >> 1 ? chance.below(256) : byte)),
      () => Buffer.from(`${'['.repeat(chance.pick([100, 100_000]))}`),
      () => Buffer.from(`{"a":${'9'.repeat(5_000)}}`),
      () => Buffer.from('{"a":1}\n'.repeat(chance.pick([2, 1_001]))),
      () => Buffer.from('&a=b'.repeat(chance.pick([10, 5_000]))),
      () => Buffer.alloc(1_100_000, 0x20),
    ])();
    return { ...request, body, headers: { 'Content-Type': 'application/json', ...request.headers } };
  },
  'another content type': (request, chance) => ({
    ...request,
    value: request.value ?? {},
    headers: { ...request.headers, 'Content-Type': chance.pick(TYPES) },
  }),
  'a content encoding': (request, chance) => {
    const [name, encode] = chance.pick(Object.entries(ENCODINGS));
    const text = Buffer.from(JSON.stringify(request.value ?? { a: 1 }));
    const whole = encode(chance.is(0.1) ? Buffer.alloc(20_000_000, 0x20) : text);
    const body = chance.weighted([
      [4, whole],
      [2, text],
      [2, whole.subarray(0, chance.below(whole.length + 1))],
      [1, Buffer.concat([whole, whole])],
      [1, chance.bytes(50)],
    ]);
    const encoding = name === 'raw' ? 'deflate' : chance.is(0.1) ? name.toUpperCase() : name;
    return {
      ...request,
      body,
      headers: { 'Content-Type': 'application/json', ...request.headers, 'Content-Encoding': encoding },
    };
  },
  'another method': (request, chance) => ({ ...request, method: chance.pick(METHODS) }),
  'another path': (request, chance) => {
    const parts = request.path.split('/');
    const at = chance.between(1, parts.length - 1);
    const part = chance.pick([
      chance.pick(PIECES),
      '',
      parts[at]?.toUpperCase(),
      encodeURIComponent(String(odd(chance)).toWellFormed()).slice(0, 3_000),
    ]);
    return { ...request, path: parts.with(at, part).join('/') + chance.pick(['', '', '/', '?']) };
  },
  'wrong parameters': (request, chance) => {
    const query = [...request.query];
    for (let times = chance.between(1, 3); times > 0; times -= 1) {
      const name =
        query.length > 0 && chance.is(0.8)
          ? chance.pick(query)[0]
          : chance.pick(['limit', 'offset', 'project_id', 'range', 'x', '']);
      const value = odd(chance);
      const entry = [
        name,
        typeof value === 'object' ? JSON.stringify(value).slice(0, 3_000) : String(value).slice(0, 3_000),
      ];
      const at = query.findIndex(([known]) => known === name);
      if (at === -1 || chance.is(0.3)) query.push(entry);
      else query[at] = entry;
    }
    if (chance.is(0.05)) query.push(...Array.from({ length: chance.pick([1_000, 3_000]) }, () => ['a', '']));
    const text = chance.is(0.1)
      ? chance.pick(['%', '%zz=1', '&&==&', 'limit=%FF%FE', 'limit[]=1&limit[a]=2', 'limit=1&limit=2', '\u007f'])
      : undefined;
    return { ...request, query, queryText: text };
  },
  'odd headers': (request, chance) => ({
    ...request,
    headers: {
      ...request.headers,
      ...chance.pick([
        {
          Authorization: chance.pick([
            'Bearer',
            'Bearer ',
            'Bearer a.b.c',
            'Basic YTpi',
            `Bearer ${'a'.repeat(5_000)}`,
            'Bearer eyJhbGciOiJub25lIn0.e30.',
            '\u00ff',
          ]),
        },
        { 'X-API-Key': chance.pick(['', 'oes_', 'oes_aaaaaaaa_', 'x'.repeat(5_000), 'a, b', '\u00e9']) },
        { Cookie: chance.pick(['a=b', '=;;=', 'x'.repeat(5_000)]) },
        { 'X-Request-ID': chance.pick(['', ' ', 'x'.repeat(129), 'a b', '\u00e9', 'ok-1']) },
        { 'Idempotency-Key': chance.pick(['', ' ', 'x'.repeat(300), '\u00e9', ['a', 'b']]) },
        { Origin: chance.pick(['null', 'https://evil.example', 'x', 'https://a b']) },
        { 'X-Forwarded-For': chance.pick(['1.2.3.4', 'x', `${'1.1.1.1, '.repeat(300)}1.1.1.1`]) },
        { Expect: chance.pick(['100-continue', '200-ok', '']) },
        {
          'X-Step-Up-Token': 'x',
          'X-Trusted-Device-Token': 'y',
          'X-Internal-Token': 'z',
          'Provider-Signature': 't=1,v1=0',
        },
        { 'If-None-Match': '*', Range: 'bytes=0-1', 'If-Modified-Since': 'x' },
        { 'Accept-Encoding': 'br;q=1', Accept: 'text/html', 'Accept-Language': '\u00e9' },
        { 'Last-Event-ID': chance.pick(['', 'x', '-1', '9'.repeat(400)]) },
        { Upgrade: 'websocket', Connection: 'Upgrade' },
        { 'X-HTTP-Method-Override': 'DELETE' },
      ]),
    },
  }),
};

const KINDS = [
  [12, 'as documented'],
  [22, 'wrong value in the body'],
  [8, 'bytes that are no body'],
  [4, 'another content type'],
  [9, 'a content encoding'],
  [8, 'another method'],
  [8, 'another path'],
  [16, 'wrong parameters'],
  [8, 'odd headers'],
];

/** Returns the next request, or the `bytes` of a malformed head. */
export function requestBy(chance, world) {
  if (chance.is(0.06)) return { kind: 'a malformed head', ...malformed(chance, world) };
  const kind = chance.weighted(KINDS);
  const request = VARIANTS[kind](plain(chance, world), chance);
  const query = request.queryText ?? new URLSearchParams(request.query).toString();
  const { headers, body, value, isForm } = request;
  const text = body ?? (value === undefined ? undefined : isForm ? formOf(value) : JSON.stringify(value));
  return {
    kind,
    actor: request.actor,
    method: request.method,
    target: query === '' ? request.path : `${request.path}?${query}`,
    headers: Object.fromEntries(Object.entries(headers).filter(([, one]) => one !== undefined)),
    body: text,
  };
}

function formOf(value) {
  if (typeof value !== 'object' || value === null) return String(value);
  return new URLSearchParams(
    Object.entries(value).map(([name, one]) => [name, typeof one === 'object' ? JSON.stringify(one) : String(one)]),
  ).toString();
}
