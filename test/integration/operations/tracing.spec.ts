import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { HANG_TIMEOUT_MS } from '../../support/bounds.mjs';
import { cleanUp, cleanups, temporaryFolder } from '../../support/embedded-database.js';
import { eventually } from '../../support/eventually.js';
import { tokenIn, waitForMails } from '../../support/outbox.js';
import { createTestDatabase } from '../../support/postgres.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { Api, PASSWORD } from '../../support/service.js';
import { CLEAN_EXIT, type ServiceProcess, startService } from '../../support/service-process.js';
import { type ReceivedSpan, receiveSpans, type SpanReceiver } from '../../support/span-receiver.js';
import { story } from '../../support/story.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

const it = story();

describe('Tracing', () => {
  let spans: SpanReceiver;
  let receiver: Receiver;
  let service: ServiceProcess;
  let key: Api;

  beforeAll(async () => {
    [spans, receiver] = await Promise.all([receiveSpans(), startReceiver()]);
    cleanups.push(
      () => spans.close(),
      () => receiver.close(),
    );
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const dataDir = await temporaryFolder();
    service = await startService({
      // The bundle of other suites cannot load the exporter, which is loaded only when it is used.
      command: [process.execPath, 'dist/src/main.js'],
      env: {
        DATABASE_URL: database.url,
        DATA_DIR: dataDir,
        OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8',
        OTEL_EXPORTER_OTLP_ENDPOINT: spans.url,
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    });
    key = await shopOf(new Api({}, service.url), dataDir, receiver.url);
  }, HANG_TIMEOUT_MS);
  afterAll(cleanUp);

  const named = (name: string): ReceivedSpan[] => spans.spans.filter((span) => span.name === name);
  const spanNamed = async (name: string, traceId: string): Promise<ReceivedSpan> => {
    const [found] = await eventually(
      () => named(name).filter((span) => span.traceId === traceId),
      ({ length }) => length > 0,
      () => `no span "${name}" in ${JSON.stringify(spans.spans.map((span) => [span.name, span.traceId]))}`,
    );
    return found!;
  };

  it('exports the request of a traced client, its statement and its delivery as one trace', async () => {
    await key
      .post('/v1/events/ingest', { event_type: 'payment.failed', source: 'checkout' })
      .set('traceparent', `00-${TRACE}-${PARENT}-01`)
      .expect(200);
    const request = await spanNamed('POST /v1/events/ingest', TRACE);
    expect(request).toMatchObject({
      parentSpanId: PARENT,
      attributes: { 'http.route': '/v1/events/ingest', 'http.response.status_code': 200 },
    });
    expect(await spanNamed('ingest_events', TRACE)).toMatchObject({ parentSpanId: request.spanId });
    const sent = await spanNamed('send alert delivery', TRACE);
    expect(sent).toMatchObject({ parentSpanId: request.spanId });
    const post = await spanNamed('POST', TRACE);
    expect(post).toMatchObject({ parentSpanId: sent.spanId, attributes: { 'http.response.status_code': 200 } });
    expect(receiver.received[0]?.headers.traceparent).toBe(`00-${TRACE}-${post.spanId}-01`);
  });

  it('begins a trace for a request without one, with its statements and without their values', async () => {
    await key.get('/v1/usage').expect(401);
    const [begun] = await eventually(
      () => named('GET /v1/usage'),
      ({ length }) => length > 0,
    );
    expect(begun?.traceId).toMatch(/^[0-9a-f]{32}$/);
    const [login] = named('POST /v1/auth/login');
    const statements = spans.spans.filter(
      (span) => span.traceId === login?.traceId && 'db.query.text' in span.attributes,
    );
    expect(statements.map(({ name }) => name)).toContain('SELECT');
    expect(JSON.stringify(spans.spans)).not.toContain('owner@example.com');
  });

  it('sends the spans that wait when the service stops', async () => {
    await key.get('/v1/projects').expect(401);
    expect(await service.stop()).toEqual(CLEAN_EXIT);
    expect(named('GET /v1/projects')).not.toHaveLength(0);
  });
});

/** Creates an account with a project, a rule and a destination. @returns the API with a key of the project */
async function shopOf(api: Api, dataDir: string, receiverUrl: string): Promise<Api> {
  const email = 'owner@example.com';
  await api.post('/v1/auth/register', { email, password: PASSWORD }).expect(201);
  const [mail] = await waitForMails(dataDir, email, 1);
  await api.post('/v1/auth/verify-email', { email, token: tokenIn(mail!) }).expect(200);
  const login = await api.post('/v1/auth/login').type('form').send({ username: email, password: PASSWORD }).expect(200);
  const owner = api.as({ accessToken: (login.body as { access_token: string }).access_token });
  const create = async (path: string, body: object): Promise<Record<string, string>> =>
    (await owner.post(path, body).expect(201)).body as Record<string, string>;
  const { id: organizationId } = await create('/v1/organizations', { name: 'Acme', slug: 'acme' });
  const { id } = await create('/v1/projects', { organization_id: organizationId, name: 'Shop', slug: 'shop' });
  const { key } = await create('/v1/api-keys', { project_id: id, name: 'Shop', scopes: ['events:write'] });
  const destination = { project_id: id, name: 'On call', type: 'webhook', target_url: receiverUrl };
  await create('/v1/alert-destinations', destination);
  await create('/v1/alert-rules', {
    project_id: id,
    name: 'Payments fail',
    condition: { kind: 'match', all: [{ field: 'event', op: 'eq', value: 'payment.failed' }] },
  });
  return api.as({ apiKey: key! });
}
