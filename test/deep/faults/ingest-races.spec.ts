import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  type Answer,
  emptyRedis,
  expectTrueCounters,
  INGEST_MODES,
  modeEnv,
  Sender,
  settled,
  statusesOf,
  tenant,
  type Tenant,
} from '../../support/ingestion.js';
import { eventually } from '../../support/service-process.js';
import { utcDay } from '../../support/utc-day.js';

const EVENT = { event_type: 'order.paid', source: 'shop' };
const CONNECTIONS = 64;
const DAILY_LIMIT = 10_000;

describe.each(INGEST_MODES)('two services in mode %s on one database', (mode) => {
  let apps: TestApp[];
  let senders: Sender[];

  beforeAll(async () => {
    if (mode === 'queued') await emptyRedis();
    const first = await createTestApp({ env: modeEnv(mode) });
    apps = [first, await createTestApp({ env: modeEnv(mode), databaseUrl: first.databaseUrl })];
    senders = apps.map((app) => new Sender(app.url));
  });
  afterAll(async () => {
    for (const sender of senders) sender.close();
    for (const app of apps.toReversed()) await app.close();
  });

  const rows = <Row>(sql: string, parameters?: unknown[]): Promise<Row[]> =>
    apps[0]?.rows<Row>(sql, parameters) as Promise<Row[]>;
  const via = (turn: number): Sender => senders[turn % senders.length] as Sender;
  const make = (options?: Parameters<typeof tenant>[1]): Promise<Tenant> => tenant({ rows }, options);
  const stored = async (of: Tenant): Promise<number> => {
    await settled(mode);
    return (await rows('SELECT 1 FROM events WHERE project_id = $1', [of.projectId])).length;
  };

  /** Sends from so many connections at a time, each over both services in turn. */
  async function storm(count: number, send: (turn: number) => Promise<Answer>): Promise<Answer[]> {
    const answers: Answer[] = [];
    let turn = 0;
    const client = async (): Promise<void> => {
      while (turn < count) answers.push(await send((turn += 1)));
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, client));
    return answers;
  }

  it('accepts exactly the 100 events that are left in the month', async () => {
    const of = await make();
    await rows('UPDATE organizations SET events_per_month_limit = 100 WHERE id = $1', [of.organizationId]);
    const answers = await storm(1_000, (turn) => via(turn).ingest(of.apiKey, EVENT));
    expect(statusesOf(answers)).toEqual({ 200: 100, 403: 900 });
    expect(await stored(of)).toBe(100);
  });

  it('accepts exactly the 100 events that are left of the day, for one source and not for another', async () => {
    await utcDay();
    const of = await make({ source: true });
    const other = await make({ of, source: true });
    await rows('UPDATE organizations SET events_per_month_limit = 1000000 WHERE id = $1', [of.organizationId]);
    await rows(
      `INSERT INTO source_days (project_id, source_id, day, events, last_event_at)
       VALUES ($1, $2, (now() AT TIME ZONE 'UTC')::date, $3, now())`,
      [of.projectId, of.sourceId, DAILY_LIMIT - 100],
    );
    const answers = await storm(600, (turn) => via(turn).ingest(of.apiKey, EVENT));
    expect(statusesOf(answers)).toEqual({ 200: 100, 429: 500 });
    expect((await via(0).ingest(other.apiKey, EVENT)).status).toBe(200);
    expect(await stored(of)).toBe(100);
    await rows('UPDATE source_days SET events = events - $2 WHERE project_id = $1', [of.projectId, DAILY_LIMIT - 100]);
  });

  it('accepts exactly the 1,000 events that are left for batches and single events together', async () => {
    const of = await make();
    await rows('UPDATE organizations SET events_per_month_limit = 1000 WHERE id = $1', [of.organizationId]);
    let accepted = 0;
    await storm(120, async (turn) => {
      const lines = turn % 3 === 0 ? [EVENT] : Array.from({ length: turn }, () => EVENT);
      const answer =
        lines.length === 1 ? await via(turn).ingest(of.apiKey, EVENT) : await via(turn).lines(of.apiKey, lines);
      if (answer.status === 200) accepted += lines.length === 1 ? 1 : Number(answer.body.accepted);
      return answer;
    });
    expect(accepted).toBe(1_000);
    expect(await stored(of)).toBe(1_000);
  });

  it('stores one event for parallel requests with one key, whoever takes them', async () => {
    const of = await make();
    const answers = await storm(100, (turn) => via(turn).ingest(of.apiKey, EVENT, { 'Idempotency-Key': 'one' }));
    const ids = answers.flatMap(({ status, body }) => (status === 200 ? [body.ingested_event_id] : []));
    expect(new Set(ids).size).toBe(1);
    expect(answers.filter(({ status, body }) => status === 200 && body.duplicate === false)).toHaveLength(1);
    expect(Object.keys(statusesOf(answers)).every((status) => status === '200' || status === '409')).toBe(true);
    expect(await stored(of)).toBe(1);
  });

  it('never deadlocks over many organizations, projects, sources and keys', async () => {
    const tenants: Tenant[] = [];
    for (let organization = 0; organization < 8; organization += 1) {
      const first = await make({ plan: 'enterprise' });
      tenants.push(first, await make({ of: first, source: true }), await make({ of: first, source: true }));
    }
    const answers = await storm(1_500, (turn) => {
      const of = tenants[Math.floor(Math.random() * tenants.length)] as Tenant;
      const at = new Date(Date.now() - Math.floor(Math.random() * 5) * 3_600_000).toISOString();
      const event = { ...EVENT, event_type: `type.${turn % 7}`, timestamp: at, payload: { latency_ms: turn % 50 } };
      if (turn % 10 === 0) return via(turn).lines(of.apiKey, [event, { ...event, event_type: 'other' }, '{}']);
      return via(turn).ingest(
        of.apiKey,
        event,
        turn % 3 === 0 ? { 'Idempotency-Key': `key-${turn % 200}-${of.apiKeyId}` } : {},
      );
    });
    const wrong = answers.filter(({ status }) => status !== 200 && status !== 409);
    expect(wrong.map(({ status, body }) => [status, body])).toEqual([]);
    await settled(mode);
    await expectTrueCounters({ rows });
    for (const { logLines } of apps) expect(logLines.join('')).not.toMatch(/deadlock|"level":"(error|fatal)"/);
    // What the requests were metered in the month and by day is the same once both services have written it.
    const metered = (): Promise<{ months: number; days: number }[]> =>
      rows(`SELECT (SELECT sum(requests) FROM organization_months)::int AS months,
                   (SELECT sum(requests) FROM usage_daily)::int AS days`);
    await eventually(metered, ([sums]) => sums !== undefined && sums.months === sums.days && sums.months >= 1_500);
  });

  it('behaves like a model of its rules', async () => {
    const request = fc.record({
      place: fc.nat(2),
      lines: fc.option(fc.nat(6), { nil: undefined }),
      key: fc.option(fc.nat(3), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 5, maxLength: 30 }),
        fc.nat(12),
        fc.nat(8),
        async (requests, month, day) => {
          await utcDay();
          const first = await make({ source: true });
          const places = [first, await make({ of: first }), await make({ of: first, source: true })] as const;
          await rows('UPDATE organizations SET events_per_month_limit = $2 WHERE id = $1', [
            first.organizationId,
            month,
          ]);
          await rows(
            `INSERT INTO source_days (project_id, source_id, day, events, last_event_at)
           VALUES ($1, $2, (now() AT TIME ZONE 'UTC')::date, $3, now())`,
            [first.projectId, first.sourceId, DAILY_LIMIT - day],
          );
          const left = { month, days: [day, Infinity, Infinity] };
          const answered = new Map<string, { text: string; body: object }>();
          for (const [turn, { place, lines, key }] of requests.entries()) {
            const of = places[place] as Tenant;
            const events = Array.from({ length: lines ?? 1 }, () => EVENT);
            const name = `${place} ${key}`;
            const text = lines === undefined ? 'single' : `lines ${lines}`;
            const known = key === undefined ? undefined : answered.get(name);
            const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': `k${key}` };
            const answer = await (lines === undefined
              ? via(turn).ingest(of.apiKey, EVENT, headers)
              : via(turn).lines(of.apiKey, ['{}', ...events], headers));
            const dayLeft = left.days[place] ?? Infinity;
            const admitted = Math.min(events.length, left.month, dayLeft);
            // The first line of a batch is no event. So without an admitted one, no quota is the reason of all refusals.
            const isRefused = lines === 0 || (lines !== undefined && admitted < 1 && known === undefined);
            if (isRefused) {
              expect(answer.status).toBe(422);
              continue;
            }
            if (known !== undefined) {
              expect(answer).toMatchObject(
                known.text === text ? { status: 200, body: { ...known.body, duplicate: true } } : { status: 409 },
              );
              continue;
            }
            if (left.month < 1) expect(answer.status).toBe(403);
            else if (dayLeft < 1) expect(answer.status).toBe(429);
            else {
              // The whole answer is compared, so that a wrong one is seen whole.
              expect({ status: answer.status, text: answer.text }).toEqual({
                status: 200,
                text: expect.stringContaining(lines === undefined ? 'ingested_event_id' : `"accepted":${admitted},`),
              });
              left.month -= admitted;
              left.days[place] = dayLeft - admitted;
              if (key !== undefined) answered.set(name, { text, body: answer.body });
            }
          }
          await settled(mode);
          const [counts] = await rows<{ events: number; month: number }>(
            `SELECT (SELECT count(*) FROM events WHERE project_id = ANY ($2))::int AS events,
                  coalesce((SELECT events FROM organization_months WHERE organization_id = $1), 0)::int AS month`,
            [first.organizationId, places.map(({ projectId }) => projectId)],
          );
          expect(counts).toEqual({ events: month - left.month, month: month - left.month });
          await rows('UPDATE source_days SET events = events - $2 WHERE project_id = $1', [
            first.projectId,
            DAILY_LIMIT - day,
          ]);
          await rows('DELETE FROM source_days WHERE events = 0');
        },
      ),
      { numRuns: 12 },
    );
    await expectTrueCounters({ rows });
  });
});
