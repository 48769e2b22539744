import { RunLimits } from '../../src/modules/events/eql/running/run-limits.js';
import { CLICKHOUSE_SERVER } from '../../src/modules/events/event-store/clickhouse-server.js';
import { ClickHouseEventSearchReader } from '../../src/modules/events/event-store/search/clickhouse-event-search.reader.js';
import { LongReads, LongSnapshots } from '../../src/modules/events/long-reads/index.js';
import { SearchLimits } from '../../src/modules/events/search/search-limits.js';
import type { ClickHouse, ReadBounds } from '../../src/platform/clickhouse/index.js';
import { createTestApp, type TestApp } from './app.js';
import { type ClickHouseAccess, type EventStore, eventStore, FaultyServer } from './clickhouse.js';
import { replicateSoon } from './replication.js';

/** Two applications on one PostgreSQL database that must give the same answers. */
export interface BothStores {
  /** A proxy in front of ClickHouse. */
  readonly server: FaultyServer;
  readonly store: EventStore;
  /** This application reads replicated events from ClickHouse. */
  readonly app: TestApp;
  /** This application reads only from PostgreSQL. */
  readonly plain: TestApp;
  /** Runs the work with the usual time limits for ClickHouse, for tests of reads that ClickHouse does not answer. */
  inUsualTime(work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/**
 * The factor by which reads of ClickHouse get more than their usual time, so that PostgreSQL does not answer just
 * because the machine is busy.
 */
const PATIENCE = 20;

/** @param env further environment of the application that reads from ClickHouse */
export async function bothStores(access: ClickHouseAccess, env: Record<string, string> = {}): Promise<BothStores> {
  const server = await FaultyServer.before(access);
  const store = await eventStore(access, server.url);
  const app = await createTestApp({ env: { ...store.env, EVENT_STORE: 'clickhouse', ...env } });
  replicateSoon(app);
  const plain = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
  const search = app.nest.get(ClickHouseEventSearchReader, { strict: false });
  const { quickMs } = search;
  for (const one of [app, plain]) haveTime(one);
  const time = patient(app.nest.get<ClickHouse>(CLICKHOUSE_SERVER, { strict: false }));
  return {
    server,
    store,
    app,
    plain,
    inUsualTime: async (work) => {
      [time.is, search.quickMs] = [1, quickMs];
      await work().finally(() => {
        time.is = PATIENCE;
        haveTime(app);
      });
    },
    close: async () => {
      await plain.close();
      await app.close();
      await server.goAway();
      await store.drop();
    },
  };
}

/** Raises the time limits, so that a busy machine does not make an answer partial, refused or without warnings. */
export function haveTime({ nest }: Pick<TestApp, 'nest'>): void {
  const limits = { eventsMs: 120_000, namesMs: 60_000 };
  Object.assign(nest.get(SearchLimits, { strict: false }), limits);
  Object.assign(nest.get(RunLimits, { strict: false }), { milliseconds: 120_000, warningMilliseconds: 60_000 });
  nest.get(LongSnapshots, { strict: false }).milliseconds = 120_000;
  Object.assign(nest.get(LongReads, { strict: false }).limits, { shortMs: 60_000, budgetMs: Infinity });
  nest.get(ClickHouseEventSearchReader, { strict: false }).quickMs = 60_000;
}

function patient(server: ClickHouse): { is: number } {
  const times = { is: PATIENCE };
  const [read, stream] = [server.read.bind(server), server.stream.bind(server)];
  const longer = (bounds: ReadBounds): ReadBounds => ({ ...bounds, milliseconds: bounds.milliseconds * times.is });
  server.read = (sql, values, bounds) => read(sql, values, longer(bounds));
  server.stream = (sql, values, bounds) => stream(sql, values, longer(bounds));
  return times;
}

/** Returns an answer without the values that depend on the time of the request. */
export function steady(answer: unknown): unknown {
  if (answer === null || typeof answer !== 'object' || Array.isArray(answer)) return answer;
  const { to_ts: _, took_ms: __, requests_per_minute: ___, ...others } = answer as Record<string, unknown>;
  const { items } = others;
  return Array.isArray(items) ? { ...others, items: items.map(steady) } : others;
}
