import type { FactoryProvider } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { ClickHouse } from '../../../platform/clickhouse/index.js';

/** Injection token of the {@link ClickHouse} that events are replicated to. Null when none is configured. */
export const CLICKHOUSE_SERVER = Symbol('CLICKHOUSE_SERVER');

export const CLICKHOUSE_SERVER_PROVIDER: FactoryProvider<Promise<ClickHouse | null>> = {
  provide: CLICKHOUSE_SERVER,
  inject: [CONFIG],
  useFactory: ({ eventStore }: Config) =>
    eventStore === undefined ? Promise.resolve(null) : ClickHouse.open(eventStore),
};
