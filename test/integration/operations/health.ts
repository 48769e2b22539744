import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Database } from '../../../src/platform/database/database.js';
import { Metrics } from '../../../src/platform/telemetry/index.js';
import { createApiApp, createTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

const TOKEN = 'internal-job-token-of-the-test';

describe('a process of the service', () => {
  let app: TestApp;

  beforeAll(async () => {
    // A worker could have its own round of maintenance meanwhile.
    app = await createApiApp({ env: { INTERNAL_JOB_TOKEN: TOKEN } });
  });
  afterAll(() => app.close());

  it.each(['api', 'worker'] as const)(
    'exports no metric family that only other roles move, in the role %s',
    async (role) => {
      const process = await createTestApp({ databaseUrl: app.databaseUrl, env: { PROCESS_ROLE: role } });
      try {
        const text = await process.metrics();
        const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', kind = '']) => ({
          name,
          kind,
        }));
        const own = families.filter(({ name }) => name.startsWith('oes_'));
        const samples = [...text.matchAll(/^([a-z_]+)(?:\{.*\})? (\S+)$/gm)].map(
          ([, name = '', value]) => [name, Number(value)] as const,
        );
        const hasMoved = (family: string) => samples.some(([name, value]) => name.startsWith(family) && value > 0);
        const counted = own.filter(({ kind }) => kind !== 'gauge').map(({ name }) => name);
        expect(counted.filter((name) => !hasMoved(name))).toEqual([]);
        const names = own.map(({ name }) => name);
        if (role === 'api') {
          expect(
            names.filter((name) =>
              /^oes_(?:alert_rule|organizations|sentinel|event_shipping|object_storage_s)/.test(name),
            ),
          ).toEqual([]);
          expect(names).toEqual(
            expect.arrayContaining(['oes_event_streams_open', 'oes_ingest_backlog_events', 'oes_delivery_backlog']),
          );
        } else {
          expect(names.filter((name) => /^oes_(?:body_budget|event_streams|ingest|rate_limit)/.test(name))).toEqual([]);
        }
      } finally {
        await process.close();
      }
    },
  );

  it('returns 404 for /internal, the metrics and readiness when no token is configured', async () => {
    const closed = await createTestApp({ databaseUrl: app.databaseUrl });
    try {
      await closed.request().get('/internal/jobs').set('X-Internal-Token', TOKEN).expect(404, { detail: 'Not Found' });
      await closed.request().post('/internal/jobs/maintenance').expect(404, { detail: 'Not Found' });
      await closed.request().get('/internal/board').auth('operator', TOKEN).expect(404, { detail: 'Not Found' });
      await closed.request().get('/metrics').expect(404, { detail: 'Not Found' });
      await closed.request().get('/ready').set('X-Internal-Token', TOKEN).expect(404, { detail: 'Not Found' });
      await closed.request().get('/metrics').set('X-Internal-Token', TOKEN).expect(404, { detail: 'Not Found' });
      await closed.request().get('/metrics').set('X-Internal-Token', '').expect(404, { detail: 'Not Found' });
    } finally {
      await closed.close();
    }
  });

  it('checks its parts and writes its metrics once for many requests at the same time', async () => {
    const rendered = jest.spyOn(app.nest.get(Metrics), 'render');
    const pinged = jest.spyOn(app.nest.get(Database), 'ping');
    // The answers to earlier tests are a second old at most.
    await eventually(
      async () => {
        await app.request().get('/metrics').set('X-Internal-Token', TOKEN).expect(200);
        await app.request().get('/health').expect(200);
        return [rendered.mock.calls.length, pinged.mock.calls.length];
      },
      ([renderings = 0, pings = 0]) => renderings > 0 && pings > 0,
    );
    rendered.mockClear();
    pinged.mockClear();
    const startedAt = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (__, at) =>
        app
          .request()
          .get(['/metrics', '/health', '/metrics', '/ready'][at % 4] ?? '')
          .set('X-Internal-Token', TOKEN),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
    expect(rendered.mock.calls.length).toBeLessThanOrEqual(seconds);
    expect(pinged.mock.calls.length).toBeLessThanOrEqual(2 * seconds);
  });

  it('creates partitions and removes what has expired in a round of maintenance, and says when the round ran', async () => {
    const month = new Date().toISOString().slice(0, 7).replace('-', '_');
    await app.rows(`DROP TABLE events_${month}`);
    await app.rows(
      `INSERT INTO users (id, email, email_key) VALUES ('0199f3a1-0000-7000-8000-000000000001', 'a@example.com', 'a@example.com')`,
    );
    await app.rows(
      `INSERT INTO user_tokens (id, user_id, purpose, token_hash, expires_at)
       VALUES ('0199f3a1-0000-7000-8000-000000000002', '0199f3a1-0000-7000-8000-000000000001', 'verify_email', '\\x01', now() - interval '2 days')`,
    );
    const round = await app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200);
    expect(round.body).toEqual({ processed: 2 });
    expect(await app.rows(`SELECT 1 FROM pg_class WHERE relname = 'events_${month}'`)).toHaveLength(1);
    expect(await app.rows('SELECT 1 FROM user_tokens')).toHaveLength(0);
    const states = (await app.request().get('/internal/jobs').set('X-Internal-Token', TOKEN).expect(200))
      .body as object[];
    expect(states).toContainEqual({
      name: 'maintenance',
      last_run_at: expect.stringMatching(/Z$/),
      last_duration_ms: expect.any(Number),
      last_error: null,
      due: expect.any(Number),
    });
  });

  it('leaves a month to the default partition that already has events of it, and continues', async () => {
    const month = new Date().toISOString().slice(0, 7).replace('-', '_');
    await app.rows(`DROP TABLE events_${month}`);
    await app.rows(
      `INSERT INTO events_default (project_id, "timestamp", id, event, source, properties, log_method, log_endpoint, log_status, log_latency_ms, created_at)
       VALUES (gen_random_uuid(), now(), gen_random_uuid(), 'a', 'b', '{}', 'EVENT', '/', 200, 0, now())`,
    );
    const round = await app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200);
    expect(round.body).toEqual({ processed: 0 });
    await app.rows('DELETE FROM events_default');
    await app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200, { processed: 1 });
  });

  it('returns 503 while the database is gone, and 200 when the database is back', async () => {
    const lost = await createTestApp({ env: { INTERNAL_JOB_TOKEN: TOKEN } });
    try {
      await lost.rows('SELECT 1');
      const name = new URL(lost.databaseUrl).pathname.slice(1);
      await app.rows(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
      await app.rows('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      const answer = await lost.request().get('/health').expect(503);
      expect(answer.body).toMatchObject({ status: 'down', checks: { database: 'down' } });
      const readiness = await lost.request().get('/ready').set('X-Internal-Token', TOKEN).expect(503);
      expect(readiness.body).toMatchObject({ ready: false, checks: { database: false, migrations: false } });
      const form = { username: 'ada@example.com', password: 'analytical-engine' };
      const login = await lost.request().post('/v1/auth/login').type('form').send(form);
      expect([login.status, login.body]).toEqual([503, { detail: 'Service overloaded' }]);
      expect(login.headers['retry-after']).toBe('1');
      await app.rows(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
      await eventually(
        async () => (await lost.request().get('/health')).status,
        (status) => status === 200,
      );
    } finally {
      await lost.close();
    }
  });
});
