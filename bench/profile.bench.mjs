// Where the processor time of one kind of request goes: `npm run bench -- profile [jwks|refused|ingest]`.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVENT, EVENT_BODY } from './event.mjs';
import { load } from './load.mjs';
import { startService, workspace } from './service.mjs';

/** Run by name alone: a profile is for reading, not for comparing. */
export const onlyByName = true;

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);

export async function run([what = 'ingest']) {
  const folder = await mkdtemp(join(tmpdir(), 'profile-'));
  const service = await startService({ nodeArguments: ['--cpu-prof', `--cpu-prof-dir=${folder}`] });
  try {
    const { key } = await workspace(service);
    const headers = { 'Content-Type': 'application/json', 'X-API-Key': key };
    const ingest = (body) => ({ requests: [{ path: '/v1/events/ingest', headers, body }] });
    const orders = {
      jwks: { requests: [{ path: '/v1/auth/jwks' }] },
      refused: { ...ingest(JSON.stringify({ ...EVENT, timestamp: '2090-01-01T00:00:00Z' })), expected: [422] },
      ingest: ingest(EVENT_BODY),
    };
    const order = orders[what];
    if (order === undefined) throw new Error(`no such profile; there are: ${Object.keys(orders).join(', ')}`);
    await load({ url: service.url, seconds: 2, ...order });
    console.log(await load({ url: service.url, seconds: SECONDS, ...order }));
  } finally {
    await service.stop();
  }
  const [file] = await readdir(folder);
  print(theLast(SECONDS * 1e6, JSON.parse(await readFile(join(folder, file), 'utf8'))));
  await rm(folder, { recursive: true });
}

/** Without the start of the service, which would be half of it. */
function theLast(micros, { nodes, samples, timeDeltas }) {
  let from = samples.length;
  for (let left = micros; from > 0 && left > 0; left -= timeDeltas[from]) from -= 1;
  return { nodes, samples: samples.slice(from), timeDeltas: timeDeltas.slice(from) };
}

/** Self times: by folder or package, then by function. */
function print({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const functions = new Map();
  const places = new Map();
  let total = 0;
  samples.forEach((id, at) => {
    const { functionName, url, lineNumber } = byId.get(id).callFrame;
    if (functionName === '(idle)' || functionName === '(program)') return;
    const micros = timeDeltas[at];
    total += micros;
    const place = placeOf(url);
    const name = `${functionName || '(anonymous)'} ${url.split('/').slice(-3).join('/')}:${lineNumber + 1}`;
    functions.set(name, (functions.get(name) ?? 0) + micros);
    places.set(place, (places.get(place) ?? 0) + micros);
  });
  const share = (map, count) =>
    [...map]
      .sort((a, b) => b[1] - a[1])
      .slice(0, count)
      .map(([name, micros]) => `${((100 * micros) / total).toFixed(1).padStart(5)} %  ${name}`);
  console.log(share(places, 30).join('\n'), '\n');
  console.log(share(functions, 60).join('\n'));
}

function placeOf(url) {
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (dependency !== undefined) return dependency;
  return /dist\/(src\/\w+\/?\w*)/.exec(url)?.[1] ?? (url.startsWith('node:') ? url : '(engine)');
}
