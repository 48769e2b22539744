import { Injectable } from '@nestjs/common';
import { StatementValues } from '../../../../platform/clickhouse/index.js';
import { type GroupedColumn, GroupedEvents } from '../reading/grouped-events.js';
import { ClickHouseEvents, ClickHouseTimeout } from '../reading/clickhouse-events.reader.js';
import type { MatchingEvents } from '../scan/matching-events.reader.js';
import { instantBeforeSql } from '../reading/windows-sql.js';
import { QueryTooLong } from '../../long-reads/index.js';
import { clickHouseQueryConditions } from '../aggregation/clickhouse-query-conditions.js';
import type { BucketLayout } from '../aggregation/bucket-layout.js';
import { AggregatedEventsReader } from '../aggregation/aggregated-events.reader.js';
import type { AggregationQuery } from '../aggregation/aggregation-query.js';
import type { Snapshot } from '../aggregation/snapshots.js';

/** Grouped events of an overview in ClickHouse, with the events that PostgreSQL has to add. */
export interface ClickHouseOverview {
  readonly type: 'clickHouse';
  /** Grouped by type, source, severity and whether the request failed. */
  readonly kinds: GroupedEvents;
  /** Grouped by latency, with the newest timestamp. */
  readonly latencies: GroupedEvents;
  readonly events: MatchingEvents;
}

/** Reads overviews from ClickHouse. */
@Injectable()
export class ClickHouseOverviewRepository {
  constructor(
    private readonly aggregated: AggregatedEventsReader,
    private readonly clickHouse: ClickHouseEvents,
  ) {}

  /**
   * @returns null when PostgreSQL has to answer alone
   * @throws QueryTooLong
   */
  async source(
    query: AggregationQuery,
    layout: BucketLayout,
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<ClickHouseOverview | null> {
    if (!this.clickHouse.isEnabled) return null;
    const source = this.clickHouse.isCircuitOpen ? null : await this.read(query, layout, snapshot, signal);
    this.clickHouse.countRead(source === null ? 'postgres' : 'clickhouse');
    return source;
  }

  private async read(
    query: AggregationQuery,
    layout: BucketLayout,
    snapshot: Snapshot,
    signal: AbortSignal,
  ): Promise<ClickHouseOverview | null> {
    const tail = await this.aggregated.tailOf(query, layout.span, snapshot, signal);
    if (tail === null) return null;
    const starts = layout.starts.map((start) => start.getTime());
    const timestamp: GroupedColumn = {
      clickHouse: () => instantBeforeSql(starts),
      postgres: () => 'e."timestamp"',
      type: 'timestamptz',
    };
    const grouped = async (columns: Readonly<Record<string, GroupedColumn>>): Promise<GroupedEvents | null> => {
      const statement = new StatementValues();
      const { bind } = statement;
      const events = clickHouseQueryConditions(query, layout.span, [], tail.chosen, bind);
      const unread: GroupedColumn = {
        clickHouse: () => `toUInt8(${events.unread})`,
        postgres: () => '0',
        type: 'int',
        isGreatest: true,
      };
      const params = { columns: { '"timestamp"': timestamp, ...columns, unread }, where: () => events.matching };
      const bounds = { milliseconds: snapshot.deadline.left(), signal };
      const rows = await this.clickHouse
        .rows<Record<string, unknown>>(
          query.scope,
          tail.block,
          (replicated) => GroupedEvents.selectSql(params, replicated, bind),
          statement,
          bounds,
        )
        .catch((error: unknown) => {
          throw error instanceof ClickHouseTimeout ? new QueryTooLong() : error;
        });
      const found = rows && GroupedEvents.of(params, rows);
      return found?.has('unread', 1) === false ? found : null;
    };
    const kinds = await grouped(KINDS);
    const latencies = kinds && (await grouped(LATENCIES));
    return latencies && { type: 'clickHouse', kinds, latencies, events: tail.events(layout.span) };
  }
}

const plain = (name: string, type: GroupedColumn['type']): GroupedColumn => ({
  clickHouse: () => `e.${name}`,
  postgres: () => `e.${name}`,
  type,
});

const KINDS = {
  event: plain('event', 'text'),
  source_id: plain('source_id', 'uuid'),
  severity: plain('severity', 'text'),
  failed: { clickHouse: () => 'e.log_status >= 500', postgres: () => 'e.log_status >= 500', type: 'bool' },
} as const satisfies Readonly<Record<string, GroupedColumn>>;

const LATENCIES = {
  latency: {
    clickHouse: () => 'if(e.log_has_latency, e.log_latency_ms, NULL)',
    postgres: () => 'CASE WHEN e.log_has_latency THEN e.log_latency_ms END',
    type: 'int',
  },
  last_at: {
    clickHouse: () => 'toUnixTimestamp64Milli(e.timestamp)',
    postgres: () => 'e."timestamp"',
    type: 'timestamptz',
    isGreatest: true,
  },
} as const satisfies Readonly<Record<string, GroupedColumn>>;
