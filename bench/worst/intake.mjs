// The worst bodies of the routes below /intake: as large, as deep, as wide or as repetitive as they may be.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import protobuf from 'protobufjs/minimal.js';
import { times, word } from './attacker.mjs';

const JSON_TYPE = 'application/json';
const PROTOBUF = 'application/x-protobuf';
const LENGTH = 2;
const MIB = 2 ** 20;
const BOMB_BYTES = 64 * MIB;
const LARGEST_BYTES = 5 * MIB;
const RECORDS = 10_000;
/** So many projects send at the same time. */
const PROJECTS = 3;

const nothing = () => ({});

/** Returns a field of protobuf with a length: text, or a message. */
const field = (number, ...parts) => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.from(
    protobuf.Writer.create()
      .uint32(number * 8 + LENGTH)
      .bytes(content)
      .finish(),
  );
};
const text = (value) => field(1, value);
const pair = (key, value) => [field(1, key), field(2, text(value))];
const nested = (levels) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const members = (count) => Array.from({ length: count }, (_, at) => `"p${at}":${at}`).join(',');
const list = (count, item) => `[${Array.from({ length: count }, (_, at) => item(at)).join(',')}]`;

/** Bodies by their names. Each has a new word, because a body that repeats would only be answered again. */
const BODIES = {
  'a list of 1,000 deep and wide objects': () =>
    json(list(1_000, (at) => `{"type":"${word()}",${at % 2 === 0 ? `"a":${nested(900)}` : members(512)},"n":{}}`)),
  '10,000 attributes': () => json(list(40, () => `{"type":"${word()}",${members(10_000)}}`)),
  'depth of 1,000': () => json(list(1_000, () => `{"type":"${word()}","a":${nested(998)},"b":${nested(998)}}`)),
  'one object of 5 MiB': () => json(`{"type":"${word()}","a":${list(1_600_000, () => '{}')}}`),
  '10,000 records with a large resource': () => logs(field(1, field(1, ...pair(word(), 'x'.repeat(4 * MIB))))),
  '10,000 records with a resource as large as all events may repeat': () =>
    logs(field(1, field(1, ...pair(word(), 'x'.repeat(780))))),
  '10,000 records with a large resource in JSON': () => {
    const resource = { attributes: [{ key: word(), value: { stringValue: 'x'.repeat(4 * MIB) } }] };
    const scopeLogs = [{ logRecords: Array(RECORDS).fill({}) }];
    return otlp('logs', JSON_TYPE, JSON.stringify({ resourceLogs: [{ resource, scopeLogs }] }));
  },
  'one span with many exceptions and a long name': () => {
    const exceptions = Array(RECORDS - 1).fill(field(11, field(2, 'exception')));
    const span = field(2, field(5, word() + 'x'.repeat(4 * MIB)), ...exceptions);
    return otlp('traces', PROTOBUF, field(1, field(2, span)));
  },
  'one record with lists of a million values': () => {
    const values = field(5, Buffer.alloc(2 * MIB, field(1, '')));
    return otlp('logs', PROTOBUF, field(1, field(2, field(2, field(6, field(1, word()), field(2, values))))));
  },
  'one record of depth 1,000': () => {
    let value = text('x');
    for (let level = 0; level < 1_000; level += 1) value = field(5, field(1, value));
    return otlp('logs', PROTOBUF, field(1, field(2, field(2, field(6, field(1, word()), field(2, value))))));
  },
  'metrics of a million points': () => {
    const points = Buffer.alloc(4 * MIB, field(1, ''));
    return otlp('metrics', PROTOBUF, field(1, field(2, field(2, field(1, word()), field(5, points)))));
  },
  'a batch of 1,000 CloudEvents': () => {
    const data = `"data":{${members(400)}}`;
    const event = () => `{"specversion":"1.0","id":"${word()}","source":"/w","type":"t",${data}}`;
    return { path: '/intake/cloudevents', type: 'application/cloudevents-batch+json', body: list(1_000, event) };
  },
};

function json(body) {
  return { path: '/intake/json', type: JSON_TYPE, body };
}

function otlp(signal, type, body) {
  return { path: `/intake/otlp/v1/${signal}`, type, body };
}

function logs(resource) {
  const records = Buffer.concat(Array(RECORDS).fill(field(2, '')));
  return otlp('logs', PROTOBUF, field(1, resource, field(2, records)));
}

function send(attacker, { path, type, body, encoding }) {
  const bytes = Buffer.from(body);
  if (encoding === undefined && bytes.length > LARGEST_BYTES) throw new Error(`${path} ${type}: ${bytes.length} bytes`);
  const headers = { 'X-API-Key': attacker.key, 'Content-Type': type };
  if (encoding !== undefined) headers['Content-Encoding'] = encoding;
  return attacker.send('POST', path, { body: bytes, headers });
}

const ROUTES = [
  ['/intake/json', JSON_TYPE],
  ['/intake/json', 'application/x-ndjson'],
  ['/intake/cloudevents', 'application/cloudevents-batch+json'],
  ['/intake/otlp/v1/logs', PROTOBUF],
  ['/intake/otlp/v1/traces', JSON_TYPE],
  ['/intake/otlp/v1/metrics', PROTOBUF],
];

function bombs() {
  const blanks = Buffer.alloc(BOMB_BYTES, ' ');
  const valid = list(1_000, () => `{"a":"${'x'.repeat(5_000)}"}`);
  return {
    gzip: [gzipSync(blanks), gzipSync(valid)],
    deflate: [deflateSync(blanks), deflateSync(valid)],
    br: [brotliCompressSync(blanks.subarray(0, 16 * MIB)), brotliCompressSync(valid)],
  };
}

export const INTAKE = [
  {
    name: 'the worst bodies of the intake',
    prepare: nothing,
    attacks: Object.fromEntries(
      Object.entries(BODIES).map(([name, body]) => [
        name,
        (attacker, size) => times(size.readers, () => send(attacker, body())),
      ]),
    ),
  },
  {
    name: 'compressed bodies of the intake',
    prepare: bombs,
    attacks: Object.fromEntries(
      ['gzip', 'deflate', 'br'].map((encoding) => [
        encoding,
        async (attacker, size, encoded) => {
          for (const [path, type] of ROUTES) {
            const bodies = encoded[encoding].flatMap((body) => Array(size.readers).fill(body));
            await times(bodies.length, (at) => send(attacker, { path, type, body: bodies[at], encoding }));
          }
        },
      ]),
    ),
  },
  {
    name: 'the worst bodies of the intake, all at once from several projects',
    async prepare(attacker) {
      const all = [];
      while (all.length < PROJECTS) all.push(await attacker.inNewProject());
      return all;
    },
    attacks: {
      'all bodies': async (attacker, _, projects) => {
        const bodies = Object.values(BODIES);
        await times(projects.length * bodies.length, (at) =>
          send(projects[at % projects.length], bodies[Math.floor(at / projects.length)]()),
        );
        for (const project of projects) attacker.answers.push(...project.answers.splice(0));
        await times(projects.length, (at) => projects[at].leave());
      },
    },
  },
];
