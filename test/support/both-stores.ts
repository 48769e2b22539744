import { jest } from '@jest/globals';
import { EVENT_SERVER } from '../../src/modules/events/event-store/event-server.js';
import type { ClickHouse, ReadBounds } from '../../src/platform/clickhouse/index.js';
import { createTestApp, type TestApp } from './app.js';
import { type ClickHouseAccess, type EventStore, eventStore, FaultyServer } from './clickhouse.js';

/** Two applications on one database of PostgreSQL, which are to answer alike. */
export interface BothStores {
  /** In front of ClickHouse. */
  readonly server: FaultyServer;
  readonly store: EventStore;
  /** Reads from ClickHouse what is there. */
  readonly app: TestApp;
  /** Reads from PostgreSQL alone. */
  readonly plain: TestApp;
  close(): Promise<void>;
}

/** @param env of the application that reads from ClickHouse, beside what names it */
export async function bothStores(access: ClickHouseAccess, env: Record<string, string> = {}): Promise<BothStores> {
  const server = await FaultyServer.before(access);
  const store = await eventStore(access, server.url);
  const app = await createTestApp({ env: { ...store.env, EVENT_STORE: 'clickhouse', ...env } });
  const plain = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
  return {
    server,
    store,
    app,
    plain,
    close: async () => {
      await plain.close();
      await app.close();
      await server.goAway();
      await store.drop();
    },
  };
}

/** Reads of ClickHouse have twenty times their time meanwhile: PostgreSQL is not to answer because the machine is busy. */
export async function unhurried(app: TestApp, work: () => Promise<void>): Promise<void> {
  const server = app.nest.get<ClickHouse>(EVENT_SERVER, { strict: false });
  const [read, stream] = [server.read.bind(server), server.stream.bind(server)];
  const spies = [
    jest.spyOn(server, 'read').mockImplementation((sql, values, bounds) => read(sql, values, patient(bounds))),
    jest.spyOn(server, 'stream').mockImplementation((sql, values, bounds) => stream(sql, values, patient(bounds))),
  ];
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

function patient(bounds: ReadBounds): ReadBounds {
  return { ...bounds, milliseconds: bounds.milliseconds * 20 };
}

/** An answer without what is of the moment in which it was asked. */
export function steady(answer: unknown): unknown {
  if (answer === null || typeof answer !== 'object' || Array.isArray(answer)) return answer;
  const { to_ts: _, took_ms: __, requests_per_minute: ___, ...others } = answer as Record<string, unknown>;
  const { items } = others;
  return Array.isArray(items) ? { ...others, items: items.map(steady) } : others;
}
