// The ClickHouse of the tests, for a service of a bench.
import { offerClickHouse } from '../../test/support/clickhouse/server.mjs';

/**
 * Starts it.
 * @param stops gets what has to be stopped
 * @returns its address and access, and the environment of a service that has its events in a database there
 */
export async function startClickHouse(stops, database) {
  const access = await (await fetch(await offerClickHouse(stops))).json();
  if (access.absent !== undefined) throw new Error(access.absent);
  const { url, user, password } = access;
  return {
    access,
    env: {
      CLICKHOUSE_URL: url,
      CLICKHOUSE_USER: user,
      CLICKHOUSE_PASSWORD: password,
      CLICKHOUSE_DATABASE: database,
    },
  };
}
