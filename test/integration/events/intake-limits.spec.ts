import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { IntakeApi } from '../../support/intake-api.js';
import { Api } from '../../support/service.js';

const MIB = 1024 * 1024;

describe('the intake of a service with a small MAX_BODY_BYTES', () => {
  let app: TestApp;
  let owner: Owner;

  beforeAll(async () => {
    app = await createApiApp({ env: { MAX_BODY_BYTES: '1024' } });
    owner = await ownerWithProject(app);
  });
  afterAll(() => app.close());

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
    const text = JSON.stringify({ event_type: 'a', source: 's', payload: { text: 'x'.repeat(2048) } });
    const request = app.request().post('/v1/events/ingest').set('X-API-Key', owner.apiKey);
    await request.type('application/json').send(text).expect(413);
  });
});
