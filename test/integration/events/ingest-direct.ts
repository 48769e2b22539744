import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { tenant } from '../../support/ingestion.js';
import { describeIngestionWays, sendEvent, WAYS } from '../../support/ingestion-ways.js';
import { IntakeApi } from '../../support/intake-api.js';
import { Api } from '../../support/service.js';

const LIMIT = 40;
const MAX_BODY_BYTES = 20_000;
const MIB = 1024 * 1024;

describe('a service with a small MAX_BODY_BYTES', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createApiApp({ env: { MAX_BODY_BYTES: String(MAX_BODY_BYTES) } });
  });
  afterAll(() => app.close());

  describeIngestionWays({ settings: 'without pages of other origins', maxBodyBytes: MAX_BODY_BYTES }, async () => {
    const { apiKey } = await tenant(app);
    return { url: app.url, apiKey, close: () => Promise.resolve() };
  });

  describe('the intake', () => {
    let owner: Owner;

    beforeAll(async () => {
      owner = await ownerWithProject(app);
    });

    it.each([
      ['json', 'application/json', 4, 200],
      ['json', 'application/x-ndjson', 4, 200],
      ['cloudevents', 'application/cloudevents-batch+json', 4, 200],
      ['json', 'application/json', 5.5, 413],
      ['cloudevents', 'application/cloudevents-batch+json', 5.5, 413],
    ])('takes bodies of /intake/%s as %s of %d MiB with %d', async (path, type, mib, status) => {
      const one = { specversion: '1.0', source: '/s', type: 'a', data: { text: 'x'.repeat(MIB / 4) } };
      const events = Array.from({ length: mib * 4 }, (_, id) => JSON.stringify({ ...one, id: `${mib} ${id}` }));
      const isLines = type.endsWith('ndjson');
      const body = isLines ? events.join('\n') : `[${events.join(',')}]`;
      // Names and commas make 4 MiB a little more, which is below 5 MiB.
      const answer = await new IntakeApi(new Api({}, app.url)).send(path, body, {
        'Content-Type': type,
        'X-API-Key': owner.apiKey,
      });
      expect(answer.status).toBe(status);
      if (status === 200) expect(answer.body).toMatchObject({ accepted: events.length, rejected: 0 });
    });

    it('still refuses larger bodies of other routes', async () => {
      const text = JSON.stringify({ event_type: 'a', source: 's', payload: { text: 'x'.repeat(MAX_BODY_BYTES) } });
      const request = app.request().post('/v1/events/ingest').set('X-API-Key', owner.apiKey);
      await request.type('application/json').send(text).expect(413);
    });
  });
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
