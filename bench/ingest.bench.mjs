// What one event a request costs, against a bare node:http echo in the same run.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { load } from './load.mjs';
import { startService, workspace } from './service.mjs';

const EVENT = JSON.stringify({
  event_type: 'http.request',
  source: 'web',
  severity: 'info',
  environment: 'production',
  message: 'GET /products/1234 HTTP/1.1',
  payload: { method: 'GET', path: '/products/1234', status_code: 200, latency_ms: 41, user_agent: 'x'.repeat(300) },
});

export async function run() {
  const echo = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => response.end(Buffer.concat(chunks)));
  });
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const service = await startService({ RATE_LIMIT_OVERRIDES: 'events=100000000/100000000' });
  try {
    const { key, bearer } = await workspace(service);
    const json = { 'content-type': 'application/json' };
    const shots = {
      'node:http echo': [`http://127.0.0.1:${echo.address().port}/`, { headers: json, body: () => EVENT }],
      'POST /v1/events/ingest': [
        `${service.url}/v1/events/ingest`,
        { headers: { ...json, 'x-api-key': key }, body: () => EVENT },
      ],
      'GET /v1/auth/me': [
        `${service.url}/v1/auth/me`,
        { method: 'GET', headers: { authorization: `Bearer ${bearer}` } },
      ],
    };
    for (const [url, options] of Object.values(shots)) await load(url, { ...options, seconds: 1 });
    const results = {};
    for (const [name, [url, options]] of Object.entries(shots)) results[name] = await load(url, options);
    const base = results['node:http echo'].perSecond;
    for (const result of Object.values(results)) result.ratio = Number((result.perSecond / base).toFixed(3));
    console.table(results);
  } finally {
    echo.close();
    await service.stop();
  }
}
