// Compares objects with a bare pipe, the disk and the best SQL. Measures what many parallel uploads cost in memory and
// in ingestion.
import { mkdtemp, open, rm } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startDatabase } from './database.mjs';
import { EVENT_BODY } from './event.mjs';
import { goal, print, ratio } from './goal-table.mjs';
import { load } from './load.mjs';
import { facts, residentMegabytes } from './machine.mjs';
import { median, startProcess } from './processes.mjs';
import { startService, workspace } from './service.mjs';
import { ROUNDS, SECONDS } from './settings.mjs';
import { liftQuotas } from './tenants.mjs';

const MIB = 1024 ** 2;
const LARGE = 64 * MIB;
const SMALL = 4 * 1024;
const OBJECTS = Number(process.env.BENCH_OBJECTS ?? 1_000_000);
/** Bytes of each of the parallel uploads. */
const PARALLEL_BYTES = Number(process.env.BENCH_PARALLEL_MB ?? 1_024) * MIB;
const PARALLEL = 50;
const PIECE = Buffer.alloc(256 * 1024, 'x');

export async function run() {
  const server = await startDatabase();
  const database = await server.database('bench_storage', { migrated: true });
  const service = await startService({ databaseUrl: database.url, env: { STORAGE_LIMITS: 'enterprise=-/-/-' } });
  const pipe = await startProcess('pipe.mjs', { env: { PIPE_FOLDER: service.dataDir } });
  const agent = new Agent({ keepAlive: true });
  try {
    const who = await workspace(service);
    await liftQuotas(database);
    const api = callerOf(service, who, agent);
    const idle = residentMegabytes(service.pid);
    const throughput = await throughputs(api, pipe, agent, server);
    const small = await smallPuts(api, service.dataDir);
    const listing = await listings(api, database, who);
    const beside = await ingestionBeside(api, service, who);
    const memory = await parallelUploads(api, service);
    console.log(`\n${facts()}; PostgreSQL ${JSON.stringify(await server.settings())}`);
    print('Measurements', [
      { what: 'upload of 64 MiB, MiB/s', service: throughput.up.ours, beside: `bare pipe ${throughput.up.bare}` },
      { what: 'download of 64 MiB, MiB/s', service: throughput.down.ours, beside: `bare pipe ${throughput.down.bare}` },
      { what: 'PUT of 4 KiB, p50 ms', service: small.ours, beside: `write + fsync ${small.disk}` },
      { what: `1,000 keys of ${OBJECTS} objects, p50 ms`, service: listing.ours, beside: `its SQL ${listing.sql}` },
      { what: 'ingestion during uploads, req/s', service: beside.busy, beside: `alone ${beside.alone}` },
      {
        what: `${PARALLEL} uploads of ${PARALLEL_BYTES / MIB} MiB, highest resident MB`,
        service: memory,
        beside: `idle ${idle}`,
      },
    ]);
    print('Goals', [
      goal('upload / bare pipe', ratio(throughput.up.ours / throughput.up.bare), { least: 0.7 }),
      goal('download / bare pipe', ratio(throughput.down.ours / throughput.down.bare), { least: 0.8 }),
      goal('PUT of 4 KiB: p50 / write + fsync', ratio(small.ours / small.disk), { most: 3 }),
      goal('list of 1,000: p50 less 2 ms / its SQL', ratio(Math.max(0, listing.ours - 2) / listing.sql), { most: 1.5 }),
      goal('ingestion during uploads / alone', ratio(beside.busy / beside.alone), { least: 0.9 }),
      goal(`${PARALLEL} parallel uploads: memory in addition to idle, MB`, memory - idle, { most: 100 }),
    ]);
  } finally {
    agent.destroy();
    await pipe.stop();
    await service.stop();
    await server.stop();
  }
}

function callerOf(service, { bearer, projectId }, agent) {
  const send = (method, url, { headers = {}, bytes, body } = {}) =>
    exchange(new URL(url, service.url), { method, headers, bytes, body, agent });
  const authorized = { Authorization: `Bearer ${bearer}` };
  return {
    agent,
    projectId,
    put: (key, bytes) =>
      send('POST', `/v1/core/objects?project_id=${projectId}&key=${key}&overwrite=true`, {
        headers: authorized,
        bytes,
      }),
    get: (path) => send('GET', path, { headers: authorized }),
    begin: async (key, size, partSize) => {
      const headers = { ...authorized, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ project_id: projectId, key, size, part_size: partSize, overwrite: true });
      return JSON.parse((await send('POST', '/v1/core/uploads', { headers, body })).text);
    },
    part: (upload, number, bytes) => send('PUT', upload.parts[number - 1].url, { bytes }),
    complete: async (upload) =>
      JSON.parse((await send('POST', `/v1/core/uploads/${upload.id}/complete`, { headers: authorized })).text),
    link: async (id) =>
      JSON.parse((await send('GET', `/v1/core/objects/${id}`, { headers: authorized })).text).download_url,
  };
}

/** @param bytes the number of bytes to send @returns the status, the text of short answers, and the received bytes */
function exchange(url, { method, headers, bytes, body, agent }) {
  return new Promise((resolve, reject) => {
    const length = bytes === undefined ? undefined : { 'Content-Length': bytes };
    const sent = httpRequest(url, { method, agent, headers: { ...headers, ...length } });
    sent.on('error', reject).on('response', (response) => {
      let [received, text] = [0, ''];
      response.on('data', (chunk) => {
        received += chunk.length;
        if (received < MIB) text += chunk;
      });
      response.on('error', reject).on('end', () => {
        if (response.statusCode >= 300) reject(new Error(`${method} ${url.pathname}: ${response.statusCode} ${text}`));
        else resolve({ status: response.statusCode, text, received });
      });
    });
    if (bytes === undefined) return void sent.end(body);
    let left = bytes;
    const more = () => {
      while (left > 0) {
        const piece = left < PIECE.length ? PIECE.subarray(0, left) : PIECE;
        left -= piece.length;
        if (!sent.write(piece)) return void sent.once('drain', more);
      }
      sent.end();
    };
    more();
  });
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Returns the median MiB a second of the service and of the bare pipe, in rounds in which they take turns. */
async function throughputs(api, pipe, agent, server) {
  const rates = { up: { ours: [], bare: [] }, down: { ours: [], bare: [] } };
  const rate = (ms) => LARGE / MIB / (ms / 1000);
  for (let round = -1; round < 3 * ROUNDS; round += 1) {
    await server.checkpoint();
    const upload = await api.begin('large', LARGE, LARGE);
    const ours = await timed(() => api.part(upload, 1, LARGE));
    const { id } = await api.complete(upload);
    const url = await api.link(id);
    const bare = await timed(() => exchange(new URL(pipe.url), { method: 'PUT', bytes: LARGE, agent }));
    const oursDown = await timed(() => exchange(new URL(url), { method: 'GET', agent }));
    const bareDown = await timed(() => exchange(new URL(pipe.url), { method: 'GET', agent }));
    // The first round only warms up.
    if (round < 0) continue;
    rates.up.ours.push(rate(ours));
    rates.up.bare.push(rate(bare));
    rates.down.ours.push(rate(oursDown));
    rates.down.bare.push(rate(bareDown));
  }
  const medians = ({ ours, bare }) => ({ ours: Math.round(median(ours)), bare: Math.round(median(bare)) });
  return { up: medians(rates.up), down: medians(rates.down) };
}

/** Returns the median milliseconds of small PUTs, and of writing the same bytes durably on the same disk, in turns. */
async function smallPuts(api, folder) {
  const [ours, disk] = [[], []];
  const own = await mkdtemp(join(folder === undefined ? tmpdir() : folder, 'bench-small-'));
  try {
    for (let at = 0; at < 300; at += 1) {
      const put = await timed(() => api.put(`small/${at}`, SMALL));
      const write = await timed(async () => {
        const file = await open(join(own, String(at)), 'wx');
        await file.write(PIECE.subarray(0, SMALL));
        await file.sync();
        await file.close();
      });
      if (at < 50) continue;
      ours.push(put);
      disk.push(write);
    }
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return { ours: Number(median(ours).toFixed(2)), disk: Number(median(disk).toFixed(2)) };
}

async function listings(api, database, { projectId, organizationId }) {
  await database.query(
    `INSERT INTO stored_blobs (id, organization_id, project_id, size, state, driver)
     SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, $2, 1, 'live', 'files'
     FROM generate_series(1, $3::int) n`,
    [organizationId, projectId, OBJECTS],
  );
  await database.query(
    `INSERT INTO stored_objects (id, project_id, organization_id, key, blob_id, size, content_type, etag, sha256, metadata,
       version, content_at, created_at, updated_at)
     SELECT b.id, $1, $2, 'many/' || (n % 1000) || '/' || n, b.id, 1, 'text/plain', md5(n::text), NULL, '{}', 1, now(), now(), now()
     FROM generate_series(1, $3::int) n
     JOIN stored_blobs b ON b.id = ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`,
    [projectId, organizationId, OBJECTS],
  );
  await database.query('ANALYZE stored_objects');
  const sql = `SELECT * FROM stored_objects WHERE project_id = $1 AND key >= 'many/5' AND key < 'many/6' ORDER BY key LIMIT 1000`;
  const [ours, best] = [[], []];
  for (let round = -5; round < 15 * ROUNDS; round += 1) {
    const took = await timed(() => api.get(`/v1/core/objects?project_id=${projectId}&prefix=many/5&limit=1000`));
    const sqlTook = await timed(() => database.query(sql, [projectId]));
    if (round < 0) continue;
    ours.push(took);
    best.push(sqlTook);
  }
  return { ours: Number(median(ours).toFixed(2)), sql: Number(median(best).toFixed(2)) };
}

/** Returns the requests a second alone, and while four senders upload objects of 1 MiB, ten a second each. */
async function ingestionBeside(api, service, { key }) {
  const order = {
    url: service.url,
    requests: [
      {
        path: '/v1/events/ingest',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
        body: EVENT_BODY,
      },
    ],
    seconds: SECONDS,
  };
  const rates = { alone: [], busy: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.alone.push((await load(order)).perSecond);
    let isOver = false;
    const sender = async (who) => {
      for (let at = 0; !isOver; at += 1) {
        await api.put(`beside/${who}`, MIB);
        await pause(100);
      }
    };
    const senders = [0, 1, 2, 3].map(sender);
    rates.busy.push((await load(order)).perSecond);
    isOver = true;
    await Promise.all(senders);
  }
  return { alone: Math.round(median(rates.alone)), busy: Math.round(median(rates.busy)) };
}

/** Returns the highest resident memory of the service in MB during many large parallel uploads. */
async function parallelUploads(api, service) {
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, residentMegabytes(service.pid))), 100);
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
  try {
    await Promise.all(
      Array.from({ length: PARALLEL }, async (_, at) => {
        const upload = await api.begin(`parallel/${at}`, PARALLEL_BYTES, PARALLEL_BYTES);
        await exchange(new URL(upload.parts[0].url), { method: 'PUT', bytes: PARALLEL_BYTES, agent });
      }),
    );
  } finally {
    clearInterval(watch);
    agent.destroy();
  }
  return most;
}
