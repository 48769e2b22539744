import type { ClickHouseSettings, EventStoreName } from './config.js';

/** The values of the environment for ClickHouse. */
export interface ClickHouseValues {
  readonly EVENT_STORE: EventStoreName;
  readonly EVENTS_HOT_DAYS: number | undefined;
  readonly CLICKHOUSE_URL: string | undefined;
  readonly CLICKHOUSE_USER: string | undefined;
  readonly CLICKHOUSE_PASSWORD: string | undefined;
  readonly CLICKHOUSE_DATABASE: string | undefined;
  readonly CLICKHOUSE_CLUSTER: string | undefined;
}

export const DEFAULT_CLICKHOUSE_USER = 'default';
export const DEFAULT_CLICKHOUSE_DATABASE = 'operational_events';

/**
 * Returns the fault of the ClickHouse variables, if any. Without CLICKHOUSE_URL the other variables have no meaning.
 * @param faulty names that are set but already have a fault
 */
export function clickHouseFaults(v: ClickHouseValues, faulty: ReadonlySet<string>): string[] {
  if (v.EVENTS_HOT_DAYS !== undefined && v.EVENT_STORE !== 'clickhouse') {
    return ['EVENT_STORE must be clickhouse where EVENTS_HOT_DAYS is set'];
  }
  if (v.CLICKHOUSE_URL !== undefined || faulty.has('CLICKHOUSE_URL')) return [];
  const given = (['USER', 'PASSWORD', 'DATABASE', 'CLUSTER'] as const)
    .map((name) => `CLICKHOUSE_${name}` as const)
    .find((name) => v[name] !== undefined);
  if (given !== undefined) return [`CLICKHOUSE_URL is missing, though ${given} is set`];
  return v.EVENT_STORE === 'clickhouse' ? ['CLICKHOUSE_URL is missing, though EVENT_STORE is clickhouse'] : [];
}

export function clickHouseSettings(v: ClickHouseValues): ClickHouseSettings | undefined {
  if (v.CLICKHOUSE_URL === undefined) return undefined;
  return {
    url: v.CLICKHOUSE_URL,
    user: v.CLICKHOUSE_USER ?? DEFAULT_CLICKHOUSE_USER,
    password: v.CLICKHOUSE_PASSWORD ?? '',
    database: v.CLICKHOUSE_DATABASE ?? DEFAULT_CLICKHOUSE_DATABASE,
    cluster: v.CLICKHOUSE_CLUSTER,
  };
}
