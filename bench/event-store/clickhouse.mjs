// Starts the ClickHouse of the tests for the service of a bench.
import { startClickHouse as startEngine } from '../../test/support/clickhouse/server.mjs';

/**
 * Starts the ClickHouse of the tests.
 * @param stops the function that stops ClickHouse is added to this list
 * @returns its address and credentials, and the environment of a service that uses a database there
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
