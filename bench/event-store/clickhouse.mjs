// The ClickHouse of the tests, for a service of a bench.
import { startClickHouse as startEngine } from '../../test/support/clickhouse/server.mjs';

/**
 * Starts it.
 * @param stops gets what has to be stopped
 * @returns its address and access, and the environment of a service that has its events in a database there
 */
export async function startClickHouse(stops, database) {
  const { url, user, password, stop } = await startEngine();
  stops.push(stop);
  return {
    access: { url, user, password },
    env: {
      CLICKHOUSE_URL: url,
      CLICKHOUSE_USER: user,
      CLICKHOUSE_PASSWORD: password,
      CLICKHOUSE_DATABASE: database,
    },
  };
}
