// Shows where the processor time of one kind of request goes:
// `npm run bench -- profile [jwks|refused|ingest|lines|queued|organizations]`.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDatabase } from './database.mjs';
import { EVENT, EVENT_BODY } from './event.mjs';
import { load } from './load.mjs';
import { queueIn } from './modes.bench.mjs';
import { startService, workspace } from './service.mjs';
import { liftQuotas } from './tenants.mjs';
import { startRedis } from './two-processes.bench.mjs';

/** A profile is for reading, not for comparing, so this bench runs only when it is named. */
export const onlyByName = true;

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
/** A request of 1,000 events as NDJSON. */
const LINES = Array.from({ length: 1_000 }, (_, one) => JSON.stringify({ ...EVENT, event_id: `line-${one}` })).join(
  '\n',
);
const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 64);

export async function run([what = 'ingest']) {
  const folder = await mkdtemp(join(tmpdir(), 'profile-'));
  const server = await startDatabase();
  const database = await server.database('bench_profile', { migrated: true });
  const redis = what === 'queued' ? await startRedis() : null;
  const service = await startService({
    databaseUrl: database.url,
    ...(redis !== null && { env: queueIn(redis) }),
    nodeArguments: ['--cpu-prof', `--cpu-prof-dir=${folder}`],
  });
  try {
    const { key, bearer } = await workspace(service);
    await liftQuotas(database);
    const headers = { 'Content-Type': 'application/json', 'X-API-Key': key };
    const ingest = (body) => ({ requests: [{ path: '/v1/events/ingest', headers, body }] });
    const orders = {
      jwks: { requests: [{ path: '/v1/auth/jwks' }] },
      refused: { ...ingest(JSON.stringify({ ...EVENT, timestamp: '2090-01-01T00:00:00Z' })), expected: [422] },
      ingest: ingest(EVENT_BODY),
      lines: {
        requests: [
          { path: '/v1/events/ingest', headers: { ...headers, 'Content-Type': 'application/x-ndjson' }, body: LINES },
        ],
        connections: 8,
      },
      queued: ingest(EVENT_BODY),
      organizations: { requests: [{ path: '/v1/organizations', headers: { Authorization: `Bearer ${bearer}` } }] },
    };
    const order = orders[what];
    if (order === undefined)
      throw new Error(`there is no such profile; the profiles are: ${Object.keys(orders).join(', ')}`);
    await load({ url: service.url, seconds: 2, connections: CONNECTIONS, ...order });
    console.log(await load({ url: service.url, seconds: SECONDS, connections: CONNECTIONS, ...order }));
  } finally {
    await service.stop();
    await redis?.stop();
    await server.stop();
  }
  const [file] = await readdir(folder);
  print(theLast(SECONDS * 1e6, JSON.parse(await readFile(join(folder, file), 'utf8'))));
  await rm(folder, { recursive: true });
}

/** Returns the last part of the profile. The start of the service would otherwise be half of it. */
function theLast(micros, { nodes, samples, timeDeltas }) {
  let from = samples.length;
  for (let left = micros; from > 0 && left > 0; left -= timeDeltas[from]) from -= 1;
  return { nodes, samples: samples.slice(from), timeDeltas: timeDeltas.slice(from) };
}

/**
 * Prints shares of the busy time: own time by folder or package, own time by function, and time with called functions.
 */
function print({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const [places, functions, whole] = [new Map(), new Map(), new Map()];
  const add = (map, name, micros) => map.set(name, (map.get(name) ?? 0) + micros);
  let total = 0;
  samples.forEach((id, at) => {
    const { functionName, url } = byId.get(id).callFrame;
    if (functionName === '(idle)' || functionName === '(program)') return;
    const micros = timeDeltas[at];
    total += micros;
    add(places, placeOf(url), micros);
    add(functions, nameOf(byId.get(id)), micros);
    const seen = new Set();
    for (let up = id; up !== undefined; up = parents.get(up)) seen.add(nameOf(byId.get(up)));
    for (const name of seen) add(whole, name, micros);
  });
  const share = (map, count) =>
    [...map]
      .sort((a, b) => b[1] - a[1])
      .slice(0, count)
      .map(([name, micros]) => `${((100 * micros) / total).toFixed(1).padStart(5)} %  ${name}`)
      .join('\n');
  console.log(`self, by package\n${share(places, 25)}\n`);
  console.log(`self, by function\n${share(functions, 50)}\n`);
  console.log(`with called functions\n${share(whole, 90)}`);
}

function nameOf({ callFrame: { functionName, url, lineNumber } }) {
  const name = functionName === '' ? '(anonymous)' : functionName.slice(0, 60);
  return `${name} ${url.split('/').slice(-3).join('/')}:${lineNumber + 1}`;
}

function placeOf(url) {
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (dependency !== undefined) return dependency;
  return /dist\/(src\/\w+\/?\w*)/.exec(url)?.[1] ?? (url.startsWith('node:') ? url : '(engine)');
}
