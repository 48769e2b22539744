import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { api, service } from '../../support/service.js';

const NOT_AUTHENTICATED = { detail: 'Not authenticated' };

const metrics = () => api.get('/metrics').set('X-Internal-Token', service.internalToken).expect(200);

describe('the health of the service', () => {
  it('is ok with the state of each part, and the service is ready', async () => {
    // Other suites keep the workers of the shared service busy.
    const health = await eventually(
      async () => (await api.get('/health').expect(200)).body as { status: string },
      ({ status }) => status === 'ok',
    );
    expect(health).toEqual({
      status: 'ok',
      version: '1.0.0',
      checks: { database: 'ok', redis: 'not_configured', queue: 'ok', workers: 'healthy' },
    });
    const ready = await api.get('/ready').set('X-Internal-Token', service.internalToken).expect(200);
    expect(ready.body).toEqual({ ready: true, checks: { database: true, migrations: true, queue: true } });
  });
});

describe('the route of the metrics without an operations port', () => {
  it('returns text for Prometheus with routes as labels and without identifiers', async () => {
    const series =
      'oes_http_request_duration_seconds_count{method="GET",route="/v1/projects/:project_id",status="401"} ';
    const countIn = (text: string): number => {
      const line = text.split('\n').find((one) => one.startsWith(series));
      return line === undefined ? 0 : Number(line.slice(series.length));
    };
    const before = countIn((await metrics()).text);
    const projectId = randomUUID();
    await api.get(`/v1/projects/${projectId}`).expect(401);
    // The answer may be a second old.
    const { headers, text } = await eventually(
      async () => await metrics(),
      (answer) => countIn(answer.text) > before,
      () => 'the request is not counted',
    );
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(text).not.toContain(projectId);
    expect(text).toMatch(/^oes_object_store_up\{driver="files",store="[0-9a-f-]{36}"\} 1$/m);
  });

  it.each<[string, (token: string) => Record<string, string>]>([
    ['no token', () => ({})],
    ['an empty token', () => ({ 'X-Internal-Token': '' })],
    ['another token', (token) => ({ 'X-Internal-Token': `${token}x` })],
    ['the token as a bearer token', (token) => ({ Authorization: `Bearer ${token}` })],
  ])('returns 401 with %s', async (_, headersOf) => {
    const headers = headersOf(service.internalToken);
    await api.get('/metrics').set(headers).expect(401, NOT_AUTHENTICATED);
    await api.get('/ready').set(headers).expect(401, NOT_AUTHENTICATED);
    const head = await fetch(`${service.url}/metrics`, { method: 'HEAD', headers });
    expect(head.status).toBe(401);
  });
});

describe('an internal route', () => {
  it('returns 401 without the internal token, and with another token', async () => {
    await api.get('/internal/jobs').expect(401, NOT_AUTHENTICATED);
    await api.get('/internal/jobs').set('X-Internal-Token', `${service.internalToken}x`).expect(401, NOT_AUTHENTICATED);
    await api.post('/internal/jobs/maintenance').set('X-Internal-Token', 'wrong').expect(401);
  });
});

describe('the board of the job queues', () => {
  const BOARD = '/internal/board';
  const board = (path: string) => api.get(BOARD + path).auth('operator', service.internalToken);

  it('returns 401 without the internal token, which browsers send as a password', async () => {
    await api.get(BOARD).auth('operator', `${service.internalToken}x`).expect(401);
    await api.get(`${BOARD}/api/queues`).set('Authorization', 'Basic !').expect(401);
    await api
      .get(BOARD)
      .expect(401, NOT_AUTHENTICATED)
      .expect('WWW-Authenticate', 'Basic realm="jobs", charset="UTF-8"');
    await api.get(`${BOARD}/api/queues`).set('X-Internal-Token', service.internalToken).expect(200);
  });

  it('is a page with a script of its own', async () => {
    const page = await board('').expect(200).expect('Content-Type', /html/).expect('X-Frame-Options', 'SAMEORIGIN');
    expect(page.headers['x-powered-by']).toBeUndefined();
    expect(page.headers['content-security-policy']).toContain("default-src 'self'");
    const [script = ''] = /static\/js\/main\.\w+\.js/.exec(page.text) ?? [];
    await board(`/${script}`)
      .expect(200)
      .expect('Content-Type', /javascript/);
  });

  it('shows the queues, and lets nobody change them', async () => {
    const { queues } = (await board('/api/queues').expect(200)).body as {
      queues: { name: string; readOnlyMode: boolean }[];
    };
    expect(queues.map(({ name }) => name)).toEqual(expect.arrayContaining(['maintenance', 'delivery-retries']));
    expect(queues.filter(({ readOnlyMode }) => !readOnlyMode)).toEqual([]);
    await api.put(`${BOARD}/api/queues/maintenance/pause`).auth('operator', service.internalToken).expect(404);
  });

  it('is one route in the metrics, whatever the path below it', async () => {
    await board('/api/queues').expect(200);
    const { text } = await eventually(
      async () => await metrics(),
      (answer) => answer.text.includes('{method="GET",route="/internal/board",status="200"}'),
      () => 'the metrics do not show the board',
    );
    expect(text).not.toContain('/api/queues');
  });
});
