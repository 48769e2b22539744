import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LogSearchIndexWriter } from '../../../src/modules/events/event-store/logs/search-index.writer.js';
import { Database } from '../../../src/platform/database/database.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { countEvents } from '../../support/event-rows.js';

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

const ROWS = 150_000;
const DAYS = 60;

/** What the plans of the reads look at, among many rows over several months: the time of it is not asserted. */
describe('A read of many events', () => {
  let app: TestApp;
  let owner: Owner;
  let oldId: string;

  beforeAll(async () => {
    // No worker: the search indexes are those that the test builds.
    app = await createApiApp();
    owner = await ownerWithProject(app);
    const month = (offset: number): Date => {
      const now = new Date();
      return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
    };
    for (const offset of [-3, -2]) {
      const name = `events_${month(offset).toISOString().slice(0, 7).replace('-', '_')}`;
      await app.rows(
        `CREATE TABLE ${name} PARTITION OF events
         FOR VALUES FROM ('${month(offset).toISOString()}') TO ('${month(offset + 1).toISOString()}')`,
      );
    }
    // One in a thousand is rare, and the neighbours have as many again.
    await app.rows(
      `INSERT INTO events (project_id, "timestamp", id, event, source, severity, properties, log_method, log_endpoint,
                           log_status, log_latency_ms, log_has_latency, created_at, bytes)
       SELECT CASE WHEN n % 2 = 0 THEN $1 ELSE ('01990000-0000-7000-8000-' || lpad((n % 40)::text, 12, '0'))::uuid END,
              at, (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
                   || '8' || substr(md5(n::text), 4, 15))::uuid,
              'event.' || (n / 2 % 20), 's', CASE WHEN n / 2 % 1000 = 7 THEN 'critical' ELSE 'info' END,
              jsonb_build_object('n', n), 'GET', CASE WHEN n % 50000 = 0 THEN '/needle' ELSE '/path/' || n % 300 END,
              CASE WHEN n % 50 = 0 THEN 500 ELSE 200 END, n % 1000, true, at, 12
       FROM (SELECT n, date_trunc('milliseconds', now() - (${ROWS} - n) * interval '1 day' * ${DAYS} / ${ROWS}) AS at
             FROM generate_series(1, ${ROWS}) n) rows`,
      [owner.projectId],
    );
    await countEvents(app);
    await app.rows('ANALYZE');
    const [old] = await app.rows<{ id: string }>(
      `SELECT id FROM events WHERE project_id = $1 AND "timestamp" < now() - interval '20 days' ORDER BY "timestamp" DESC LIMIT 1`,
      [owner.projectId],
    );
    oldId = old?.id ?? '';
  });
  afterAll(() => app.close());

  /** The statements that a request runs, explained one by one. */
  async function plansOf(path: string): Promise<{ status: number; rows: number; nodes: Plan[] }> {
    const database = app.nest.get(Database);
    const original: typeof database.rows = database.rows.bind(database);
    const statements: Statement[] = [];
    database.rows = (sql, parameters, db) => {
      if (/\bevents\b|event_\w*(hours|days)/.test(sql)) statements.push({ sql, parameters: parameters ?? [] });
      return original(sql, parameters, db);
    };
    const { status } = await app.request().get(path).set('Authorization', owner.bearer);
    database.rows = original;
    const nodes: Plan[] = [];
    const visit = (plan: Plan): void => {
      nodes.push(plan);
      plan.Plans?.forEach(visit);
    };
    for (const { sql, parameters } of statements) {
      const [row] = await app.rows<{ 'QUERY PLAN': { Plan: Plan }[] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, [
        ...parameters,
      ]);
      row?.['QUERY PLAN'].forEach(({ Plan: plan }) => visit(plan));
    }
    expect(statements.length).toBeGreaterThan(0);
    const looked = nodes.filter(isPartition).map(looks);
    return { status, rows: looked.reduce((sum, rows) => sum + rows, 0), nodes };
  }

  /** Partitions that are read from end to end; of empty ones nothing is to be said. */
  const wholeScans = (nodes: readonly Plan[]): unknown[] =>
    nodes
      .filter((node) => isPartition(node) && node['Node Type'].endsWith('Seq Scan') && looks(node) > 1_000)
      .map((node) => node['Relation Name']);

  // Half of the rows are the project's: 75,000 over 60 days, some 52 an hour. Pages look at their rows twice: where they
  // lie, and at themselves.
  it.each([
    ['logs', '/v1/logs?project_id=P&range=30d', 200],
    ['events', '/v1/events?project_id=P', 110],
    ['counts over a month', '/v1/events/counts?project_id=P&range=30d', 200],
    ['names over a month', '/v1/events/names?project_id=P&range=30d', 200],
    ['usage', '/v1/usage?project_id=P', 200],
    ['daily usage', '/v1/projects/P/usage/daily', 200],
    ['the dashboard', '/v1/projects/P/dashboard', 2_500],
    ['facets', '/v1/projects/P/events/facets?range=30d&severity=critical', 200],
    ['the explorer', '/v1/projects/P/events?range=30d', 300],
    ['a deep page', '/v1/projects/P/events?range=all&offset=60000', 300],
    ['an event type', '/v1/projects/P/events?range=all&event=event.3', 300],
    ['a rare value', '/v1/projects/P/events?range=all&severity=critical', 1_000],
    ['a rare value, deep', '/v1/projects/P/events?range=all&severity=critical&offset=40', 1_000],
  ])('reads for %s, by %s, at most %d rows', async (_, path, most) => {
    const { status, rows, nodes } = await plansOf(path.replace('P', owner.projectId));
    expect(status).toBe(200);
    expect(wholeScans(nodes)).toEqual([]);
    expect(rows).toBeLessThanOrEqual(most);
  });

  it('finds one event by its id without reading a whole partition', async () => {
    await app.rows(`UPDATE events SET id = overlay(id::text placing 'f' from 1)::uuid WHERE id = $1`, [oldId]);
    const [moved] = await app.rows<{ id: string }>(
      `SELECT id FROM events WHERE project_id = $1 AND id::text LIKE 'f%' LIMIT 1`,
      [owner.projectId],
    );
    const { status, nodes } = await plansOf(`/v1/projects/${owner.projectId}/events/${moved?.id ?? ''}`);
    expect(status).toBe(200);
    expect(wholeScans(nodes)).toEqual([]);
  });

  it('finds the same texts before and after closed months have a search index', async () => {
    const search = async (query: string) =>
      (
        await app
          .request()
          .get('/v1/logs')
          .set('Authorization', owner.bearer)
          .query({ project_id: owner.projectId, range: 'all', query })
          .expect(200)
      ).body as { endpoint: string; id: string }[];
    const before = await search('NEEDLE');
    expect(before.map(({ endpoint }) => endpoint)).toEqual(['/needle', '/needle', '/needle']);
    const frequent = await search('path/29');

    const index = app.nest.get(LogSearchIndexWriter, { strict: false });
    const closed = await app.rows<{ name: string }>(
      `SELECT c.relname AS name FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
       WHERE h.inhparent = 'events'::regclass AND c.relname ~ '^events_\\d' AND c.relname < $1`,
      [`events_${new Date(Date.now() - 86_400_000).toISOString().slice(0, 7).replace('-', '_')}`],
    );
    expect(closed.length).toBeGreaterThanOrEqual(2);
    expect(await Promise.all([index.build(), index.build()]).then(([a, b]) => a + b)).toBe(closed.length);
    expect(await index.build()).toBe(0);
    const months = await index.months();
    expect(months).toHaveLength(closed.length);
    expect(await search('needle')).toEqual(before);
    expect(await search('path/29')).toEqual(frequent);
    expect(await search('no such thing')).toEqual([]);
    expect((await search('needle')).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });
});

function isPartition(node: Plan): boolean {
  return node['Relation Name']?.startsWith('events_') === true;
}

/** Rows that a node has looked at. */
function looks(node: Plan): number {
  const {
    'Actual Rows': rows,
    'Rows Removed by Filter': filtered = 0,
    'Rows Removed by Index Recheck': rechecked = 0,
  } = node;
  return (rows + filtered + rechecked) * node['Actual Loops'];
}
