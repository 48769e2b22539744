// Measures what the HTTP part costs without a database: Express, Nest, guards, validation, headers, logs and metrics.
import { startDatabase } from './database.mjs';
import { EVENT, EVENT_BODY } from './event.mjs';
import { measured } from './load.mjs';
import { median, startProcess } from './processes.mjs';
import { startService, workspace } from './service.mjs';
import { ROUNDS, SECONDS } from './settings.mjs';
import { liftQuotas } from './tenants.mjs';

export async function run() {
  const seconds = SECONDS;
  const echo = await startProcess('echo.mjs');
  const stock = await startProcess('nest-echo.mjs', { env: { ADAPTER: 'stock' } });
  const fast = await startProcess('nest-echo.mjs');
  const server = await startDatabase();
  const database = await server.database('bench_http', { migrated: true });
  const service = await startService({ databaseUrl: database.url });
  try {
    const { key, bearer } = await workspace(service);
    await liftQuotas(database);
    const json = { 'Content-Type': 'application/json' };
    const keyed = { ...json, 'X-API-Key': key };
    const bearing = { Authorization: `Bearer ${bearer}` };
    const tooEarly = JSON.stringify({ ...EVENT, timestamp: '2090-01-01T00:00:00Z' });
    const ingest = (body) => [{ path: '/v1/events/ingest', headers: keyed, body }];
    const shots = {
      'node:http echo': [echo, { requests: [{ path: '/', headers: json, body: EVENT_BODY }] }],
      'Nest echo, its own adapter': [stock, { requests: [{ path: '/', headers: json, body: EVENT_BODY }] }],
      "Nest echo, the service's adapter": [fast, { requests: [{ path: '/', headers: json, body: EVENT_BODY }] }],
      'GET /v1/auth/jwks': [service, { requests: [{ path: '/v1/auth/jwks' }] }],
      'GET /v1/nope (404)': [service, { requests: [{ path: '/v1/nope' }], expected: [404] }],
      // The service does everything except the write (key, body, validation, admission), and then refuses the event.
      'ingest, refused time (422)': [service, { requests: ingest(tooEarly), expected: [422] }],
      'ingest, missing field (422)': [service, { requests: ingest('{"event_type":"a"}'), expected: [422] }],
      'bearer, refused input (422)': [
        service,
        {
          requests: [{ path: '/v1/account/email-change/request', headers: { ...json, ...bearing }, body: '{}' }],
          expected: [422],
        },
      ],
      // This route also has a rate limit, which counts the user's requests.
      'bearer, limited, refused input (422)': [
        service,
        { requests: [{ path: '/v1/logs', headers: bearing }], expected: [422] },
      ],
      'GET /v1/organizations': [service, { requests: [{ path: '/v1/organizations', headers: bearing }] }],
      'POST /v1/events/ingest': [service, { requests: ingest(EVENT_BODY) }],
    };
    for (const [{ url }, order] of Object.values(shots)) await measured(0, { url, ...order, seconds: 1 });
    const results = {};
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, [{ url, pid }, order]] of Object.entries(shots)) {
        const result = await measured(pid, { url, ...order, seconds });
        if (result.failed > 0) throw new Error(`${name}: ${result.failed} failed, first:\n${result.firstFailure}`);
        (results[name] ??= []).push(result);
      }
    }
    const floor = median(results['node:http echo'].map(({ cpuMicros }) => cpuMicros));
    const table = Object.entries(results).map(([name, rounds]) => {
      const cpuMicros = median(rounds.map((round) => round.cpuMicros));
      const perSecond = median(rounds.map((round) => round.perSecond));
      return [
        name,
        {
          perSecond,
          p99: median(rounds.map(({ p99 }) => p99)),
          cpuMicros: Math.round(cpuMicros),
          ratio: Number((floor / cpuMicros).toFixed(3)),
        },
      ];
    });
    console.table(Object.fromEntries(table));
  } finally {
    for (const one of [echo, stock, fast]) await one.stop();
    await service.stop();
    await server.stop();
  }
}
