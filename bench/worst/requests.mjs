// Requests whose form is expensive: compressed, deep, long, or with as many faults as fit.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { times } from './attacker.mjs';

const MEGABYTES = 50;
const nothing = () => ({});

function bombs() {
  const zeros = Buffer.alloc(MEGABYTES * 2 ** 20, ' ');
  return { gzip: gzipSync(zeros), deflate: deflateSync(zeros), br: brotliCompressSync(zeros.subarray(0, 2 ** 24)) };
}

export const REQUESTS = [
  {
    name: `compressed bodies of ${MEGABYTES} MB`,
    prepare: bombs,
    attacks: {
      ingest: async (attacker, size, encoded) => {
        for (const [encoding, body] of Object.entries(encoded)) {
          for (const type of ['application/json', 'application/x-ndjson']) {
            const headers = { 'Content-Encoding': encoding, 'Content-Type': type };
            await times(2 * size.readers, () => attacker.ingest(body, headers));
          }
        }
      },
      'without credentials': async (attacker, size, encoded) => {
        for (const [encoding, body] of Object.entries(encoded)) {
          const headers = { 'Content-Encoding': encoding, Authorization: '' };
          await times(2 * size.readers, () => attacker.send('POST', '/v1/auth/register', { body, headers }));
        }
      },
    },
  },
  {
    name: 'deep JSON',
    prepare: nothing,
    attacks: {
      ingest: async (attacker, size) => {
        const deep = (depth) =>
          `{"event_type":"e","source":"s","payload":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
        for (const depth of [60, 5_000, 450_000]) await times(size.readers, () => attacker.ingest(deep(depth)));
        await times(size.readers, () => attacker.ingest('{"a":'.repeat(180_000)));
      },
    },
  },
  {
    name: 'bodies with fifty thousand faults',
    prepare: nothing,
    attacks: {
      everywhere: async (attacker, size) => {
        // These bodies are below the limit of a body. Larger ones are refused before they are read.
        const list = Array(50_000).fill(1);
        await times(size.readers, () => attacker.post('/v1/alerts/events/bulk', { ids: list, action: 'resolve' }));
        await times(size.readers, () => attacker.event({}, Object.fromEntries(list.map((_, at) => [`f${at}`, at]))));
        await times(size.readers, () => attacker.lines(Array(1_000).fill('[]')));
        const body = JSON.stringify({ redacted_properties: list, noise_endpoints: list });
        const path = `/v1/projects/${attacker.projectId}/settings`;
        await times(size.readers, () => attacker.send('PUT', path, { body }));
      },
    },
  },
  {
    name: '1,000 lines of worst events',
    prepare: nothing,
    attacks: {
      ingest: async (attacker, size) => {
        const payload = { a: Array(1_600).fill({}) };
        const line = JSON.stringify({ event_type: 'worst', source: 'w', payload });
        await times(size.readers, () => attacker.lines(Array(1_000).fill(line)));
      },
    },
  },
  {
    name: 'long searches',
    async prepare(attacker, size) {
      const line = JSON.stringify({ event_type: 'e', source: 's', message: 'ab'.repeat(1_000), payload: {} });
      for (let sent = 0; sent < size.searched; sent += 500) await attacker.lines(Array(500).fill(line));
      return {};
    },
    attacks: {
      '/v1/logs?query=': async (attacker, size) => {
        const path = `/v1/logs?project_id=${attacker.projectId}&range=all&query=`;
        for (const query of [`${'ab'.repeat(6_900)}c`, '%25'.repeat(600), `${'ab%25'.repeat(300)}c`]) {
          await times(2 * size.readers, () => attacker.get(path + query));
        }
      },
    },
  },
  {
    name: 'many query parameters and headers',
    prepare: nothing,
    attacks: {
      reads: async (attacker, size) => {
        const path = `/v1/logs?project_id=${attacker.projectId}&`;
        const short = Array.from({ length: 3_000 }, (_, at) => `a${at}`).join('&');
        const same = Array(2_000).fill('range=1h').join('&').slice(0, 15_000);
        for (const query of [short, same]) await times(4 * size.readers, () => attacker.get(path + query));
        const headers = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`x-h${at}`, '1']));
        await times(4 * size.readers, () => attacker.send('GET', '/v1/projects', { headers }));
      },
    },
  },
];
