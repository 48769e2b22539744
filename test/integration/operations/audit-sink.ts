import { createHmac } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import pg from 'pg';
import { loadConfig } from '../../../src/config/index.js';
import { AuditRowsRepository } from '../../../src/modules/operations/audit-sink/audit-rows.repository.js';
import { AuditSinkLoop } from '../../../src/modules/operations/audit-sink/audit-sink.loop.js';
import { targetOf } from '../../../src/modules/operations/audit-sink/audit-sink.module.js';
import { Clock } from '../../../src/platform/clock/index.js';
import { OutboundHttp } from '../../../src/platform/outbound-http/index.js';
import { Metrics, standardOutput } from '../../../src/platform/telemetry/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createApiApp, createTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { startReceiver } from '../../support/receiver.js';
import { story } from '../../support/story.js';

const KEY = Buffer.alloc(32, 7);
const metricOf = (text: string, name: string): number | undefined => {
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
};

/** A process that streams the audit rows of a database. */
type Process = Pick<TestApp, 'metrics' | 'close'>;

interface Row {
  readonly id: string;
  readonly action: string;
}

const it = story();

describe('the audit sink', () => {
  let first: TestApp;
  let owner: Owner;

  /** Streams the audit rows of the database, as a process with these settings does after its start. */
  function streaming(env: Record<string, string>): Process {
    const { databaseUrl, dataDir, nest } = first;
    const { auditSink } = loadConfig({ NODE_ENV: 'test', DATABASE_URL: databaseUrl, DATA_DIR: dataDir, ...env });
    if (auditSink === null) throw new Error('AUDIT_SINK is not set');
    const metrics = new Metrics();
    const target = targetOf(auditSink, nest.get(OutboundHttp, { strict: false }), nest.get(Clock, { strict: false }));
    const rows = nest.get(AuditRowsRepository, { strict: false });
    const loop = new AuditSinkLoop(auditSink.kind, target, rows, metrics);
    loop.onApplicationBootstrap();
    return { metrics: () => metrics.render(), close: () => loop.beforeApplicationShutdown() };
  }
  const ids = async (): Promise<string[]> =>
    (
      await first.rows<Row>(
        'SELECT e.id FROM audit_positions p JOIN audit_events e ON e.id = p.audit_event_id ORDER BY p.position',
      )
    ).map(({ id }) => id);
  const act = (name: string): Promise<unknown> =>
    first
      .request()
      .patch(`/v1/projects/${owner.projectId}`)
      .set('Authorization', owner.bearer)
      .send({ name })
      .expect(200);
  const linesIn = async (file: string): Promise<string[]> =>
    (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  const rowsIn = async (file: string): Promise<Row[]> => (await linesIn(file)).map((line) => JSON.parse(line) as Row);

  beforeAll(async () => {
    first = await createApiApp({ env: { OUTBOUND_ALLOWED_SUBNETS: '127.0.0.0/8' } });
    owner = await ownerWithProject(first);
    await act('Before');
  });
  afterAll(() => first.close());

  it('writes each row once, the oldest first and with its id first, while two processes have the same file', async () => {
    const env = { AUDIT_SINK: 'file' };
    const both = [await createTestApp({ databaseUrl: first.databaseUrl, dataDir: first.dataDir, env }), streaming(env)];
    await act('Meanwhile');
    const file = join(first.dataDir, 'audit.ndjson');
    const expected = await ids();
    expect(expected.length).toBeGreaterThan(1);
    const rows = await eventually(
      () => rowsIn(file),
      (found) => found.length >= expected.length,
    );
    expect(rows.map(({ id }) => id)).toEqual(expected);
    expect((await linesIn(file)).every((line) => line.startsWith('{"id":"'))).toBe(true);
    await Promise.all(both.map((app) => app.close()));
  });

  it('writes rows in the order of commit when an earlier row commits last', async () => {
    const [early, late] = [new pg.Client(first.databaseUrl), new pg.Client(first.databaseUrl)];
    await Promise.all([early.connect(), late.connect()]);
    const insert = async (client: pg.Client, action: string): Promise<void> => {
      await client.query('BEGIN');
      await client.query(
        `INSERT INTO audit_events (id, action, target_type, created_at) VALUES (gen_random_uuid(), $1, 'test', clock_timestamp())`,
        [action],
      );
    };
    const file = join(first.dataDir, 'order.ndjson');
    const app = streaming({ AUDIT_SINK: 'file', AUDIT_FILE: file });
    await insert(early, 'test.early');
    await insert(late, 'test.late');
    await late.query('COMMIT');
    const found = await eventually(
      () => rowsIn(file),
      (rows) => rows.some(({ action }) => action === 'test.late'),
    );
    expect(found.some(({ action }) => action === 'test.early')).toBe(false);
    await early.query('COMMIT');
    const rows = await eventually(
      () => rowsIn(file),
      (all) => all.some(({ action }) => action === 'test.early'),
    );
    expect(rows.filter(({ action }) => action.startsWith('test.')).map(({ action }) => action)).toEqual([
      'test.late',
      'test.early',
    ]);
    await Promise.all([early.end(), late.end(), app.close()]);
  });

  it('closes a line that was cut off, and repeats the rows of a process that died before it moved the cursor', async () => {
    const file = join(first.dataDir, 'cut.ndjson');
    await appendFile(file, '{"id":"cut of');
    const [before] = await first.rows<{ position: string }>("SELECT position FROM audit_sinks WHERE kind = 'file'");
    await first.rows("UPDATE audit_sinks SET position = $1 WHERE kind = 'file'", [Number(before?.position) - 2]);
    const app = streaming({ AUDIT_SINK: 'file', AUDIT_FILE: file });
    const lines = await eventually(
      () => linesIn(file),
      (found) => found.length >= 3,
    );
    expect(lines[0]).toBe('{"id":"cut of');
    expect(lines.slice(1).map((line) => (JSON.parse(line) as Row).id)).toEqual((await ids()).slice(-2));
    await app.close();
  });

  it('keeps the rows while the disk is full, and acts go on', async () => {
    const full = streaming({ AUDIT_SINK: 'file', AUDIT_FILE: '/dev/full' });
    await act('Full');
    const metrics = await eventually(
      () => full.metrics(),
      (text) =>
        (metricOf(text, 'oes_audit_sink_failures_total') ?? 0) > 0 &&
        metricOf(text, 'oes_audit_sink_waiting_rows') === 1,
    );
    expect(metricOf(metrics, 'oes_audit_sink_oldest_seconds')).toBeGreaterThan(0);
    await full.close();

    const file = join(first.dataDir, 'space.ndjson');
    const app = streaming({ AUDIT_SINK: 'file', AUDIT_FILE: file });
    const rows = await eventually(
      () => rowsIn(file),
      (found) => found.length > 0,
    );
    expect(rows.map(({ id }) => id)).toEqual((await ids()).slice(-1));
    await app.close();
  });

  it('ends with the process while standard output is not read, and another process repeats the rows', async () => {
    const write = jest.spyOn(standardOutput, 'writeAll');
    write.mockReturnValueOnce(new Promise<void>(() => undefined));
    const unread = streaming({ AUDIT_SINK: 'stdout' });
    await eventually(
      () => write.mock.calls.length,
      (calls) => calls > 0,
    );
    await unread.close();
    expect(await first.rows("SELECT claim FROM audit_sinks WHERE kind = 'stdout'")).toEqual([{ claim: null }]);

    write.mockResolvedValue();
    const app = streaming({ AUDIT_SINK: 'stdout' });
    await eventually(
      () => write.mock.calls.length,
      (calls) => calls > 1,
    );
    expect(write.mock.calls[1]).toEqual(write.mock.calls[0]);
    await app.close();
    write.mockRestore();
  });

  it('posts each row to a webhook, signed, and again until the receiver has taken it', async () => {
    const receiver = await startReceiver(503);
    const app = streaming({
      AUDIT_SINK: 'webhook',
      AUDIT_WEBHOOK_URL: `${receiver.url}/audit`,
      AUDIT_WEBHOOK_SECRET: `whsec_${KEY.toString('base64')}`,
    });
    await receiver.requests(2);
    const refused = receiver.received.length;
    receiver.answer(204);
    const expected = await ids();
    await eventually(
      () => receiver.received,
      (received) => received.at(-1)?.headers['webhook-id'] === expected.at(-1),
    );
    const taken = receiver.received.slice(refused);
    expect(taken.map(({ body }) => (JSON.parse(body) as Row).id)).toEqual(expected);
    for (const { headers, body } of receiver.received) {
      const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = headers;
      expect(id).toBe((JSON.parse(body) as Row).id);
      expect(signature).toBe(
        `v1,${createHmac('sha256', KEY)
          .update(`${String(id)}.${String(time)}.${body}`)
          .digest('base64')}`,
      );
    }
    expect(receiver.received.slice(0, refused).every(({ headers }) => headers['webhook-id'] === expected[0])).toBe(
      true,
    );
    await app.close();
    await receiver.close();
  });
});
