import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApiApp, type TestApp } from '../../support/app.js';
import { tenant } from '../../support/ingestion.js';
import { describeIngestionWays, sendEvent, WAYS } from '../../support/ingestion-ways.js';

const LIMIT = 40;
const MAX_BODY_BYTES = 20_000;

describeIngestionWays({ settings: 'without pages of other origins', maxBodyBytes: MAX_BODY_BYTES }, async () => {
  const app = await createApiApp({ env: { MAX_BODY_BYTES: String(MAX_BODY_BYTES) } });
  const { apiKey } = await tenant(app);
  return { url: app.url, apiKey, close: () => app.close() };
});

describe.each([
  ['without', {}],
  ['with', { CORS_ORIGINS: 'https://app.example.com' }],
] as const)('the rate limit of ingestion %s pages of other origins', (_, env) => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createApiApp({ env: { ...env, RATE_LIMIT_OVERRIDES: `events=1000000/${LIMIT}` } });
  });
  afterAll(() => app.close());

  it('refuses requests of the direct route and of the router with the same answer, log line and metric', async () => {
    const { apiKey } = await tenant(app);
    for (let count = 0; count < LIMIT; count += 1) await sendEvent(app.url, WAYS[count % 2] ?? '', apiKey);
    const refused = [await sendEvent(app.url, WAYS[0], apiKey), await sendEvent(app.url, WAYS[1], apiKey)];
    expect(refused[0]?.status).toContain(' 429 ');
    expect(refused[0]).toEqual(refused[1]);

    const lines = app.logLines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ message, status }) => message === 'request' && status === 429);
    const facts = lines.map(({ time, duration_ms, request_id, ...rest }) => [
      typeof time,
      typeof duration_ms,
      typeof request_id,
      rest,
    ]);
    expect(facts).toHaveLength(2);
    expect(facts[0]).toEqual(facts[1]);
    const text = await app.metrics();
    const counted = /^oes_http_request_duration_seconds_count\{.*status="200".*\} (\d+)$/gm;
    const ingested = [...text.matchAll(counted)].filter(([line]) => line.includes('/v1/events/ingest'));
    expect(ingested).toHaveLength(1);
  });
});
