import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import type { ProjectScope } from '../../../access/index.js';
import {
  type ClickHouse,
  isTooMuch,
  type ReadBounds,
  shortReason,
  SilentServer,
  type StatementValues,
} from '../../../../platform/clickhouse/index.js';
import { LogThrottle, Metrics } from '../../../../platform/telemetry/index.js';
import { CLICKHOUSE_SERVER } from '../clickhouse-server.js';
import { OTHER_PROPERTIES } from '../../fields/index.js';
import { eventTable } from '../clickhouse-schema/table-statements.js';

/** ClickHouse exceeded the time or memory limit of one read. */
export class ClickHouseTimeout extends Error {}

/** ClickHouse failed while it was read. PostgreSQL has to answer instead. */
export class ClickHouseUnavailable extends Error {}

/**
 * Additional columns of the relation. The sizes are read without the texts. A column is only added when the statement
 * names it, because unused SQL would take a tenth of the time of a short statement.
 */
const DERIVED: Readonly<Record<string, string>> = {
  other_properties: OTHER_PROPERTIES,
  properties_size: 'properties.size',
  message_size: 'message.size',
  endpoint_size: 'log_endpoint.size',
};
/** A placeholder for the additional columns, until it is known which of them the statement names. */
const DERIVED_PLACEHOLDER = '/* derived */';

type Scope = Pick<ProjectScope, 'projectId'>;
/**
 * Returns a relation of the events that match a condition on columns that are fast to read. The other columns are only
 * read for these events.
 */
export type Among = (condition: string) => string;
type Select = (replicated: string, among: Among) => string;

/**
 * Reads events from ClickHouse. PostgreSQL has every event of recent months, too. So PostgreSQL answers when the
 * replica is incomplete, far behind or unavailable.
 */
@Injectable()
export class ClickHouseEvents {
  /** True when reads use ClickHouse. Always false when no ClickHouse is configured. */
  readonly isEnabled: boolean;
  private readonly logger = new Logger('event-store');
  private readonly seldom = new LogThrottle();
  private readonly reads;
  /** After a timeout, ClickHouse is not used for this time, so that not every read waits for it. */
  circuitOpenMs = 10_000;
  /** The end of that time on the monotonic clock of the process, in milliseconds. */
  private circuitOpenUntil = -Infinity;

  constructor(
    @Inject(CONFIG) { eventReads }: Config,
    @Inject(CLICKHOUSE_SERVER) private readonly server: ClickHouse | null,
    metrics: Metrics,
  ) {
    this.isEnabled = eventReads === 'clickhouse' && server !== null;
    this.reads = this.isEnabled
      ? metrics.counter('oes_event_store_reads_total', 'Reads of events by the store that has answered', ['store'])
      : null;
  }

  /** True for a while after a timeout of ClickHouse. Reads use PostgreSQL then. */
  get isCircuitOpen(): boolean {
    return performance.now() < this.circuitOpenUntil;
  }

  /**
   * @param select returns the part of the statement after SELECT. It receives a relation with the project's rows of the
   * blocks up to `block`. The relation also has `other_properties` for rows that ClickHouse cannot parse, and
   * `properties_size`, `message_size` and `endpoint_size` in bytes
   * @returns null when ClickHouse is unavailable
   * @throws ClickHouseTimeout
   */
  async rows<Row>(
    scope: Scope,
    block: number,
    select: Select,
    statement: StatementValues,
    bounds: ReadBounds,
  ): Promise<Row[] | null> {
    const { server } = this;
    if (server === null || this.isCircuitOpen) return null;
    const sql = selectSql(server, scope, block, select, statement);
    try {
      return await server.read<Row>(sql, statement.values, bounds);
    } catch (error) {
      const fault = this.faultOf(error, bounds);
      if (fault instanceof ClickHouseUnavailable) return null;
      throw fault;
    }
  }

  /**
   * Returns the same as {@link rows}, in batches.
   * @throws ClickHouseTimeout, ClickHouseUnavailable also after the first batches
   */
  async *stream<Row>(
    scope: Scope,
    block: number,
    select: Select,
    statement: StatementValues,
    bounds: ReadBounds,
  ): AsyncGenerator<Row[], void> {
    const { server } = this;
    if (server === null || this.isCircuitOpen) throw new ClickHouseUnavailable();
    const rows = server.stream<Row>(selectSql(server, scope, block, select, statement), statement.values, bounds);
    for (;;) {
      // An error of the consumer is not a fault of the server.
      const next = await rows.next().catch((error: unknown) => {
        throw this.faultOf(error, bounds);
      });
      if (next.done === true) return;
      let isTaken = false;
      try {
        yield next.value;
        isTaken = true;
      } finally {
        if (!isTaken) await rows.return();
      }
    }
  }

  private faultOf(error: unknown, { signal }: ReadBounds): Error {
    signal?.throwIfAborted();
    if (isTooMuch(error)) return new ClickHouseTimeout();
    if (error instanceof SilentServer) this.circuitOpenUntil = performance.now() + this.circuitOpenMs;
    this.seldom.happened('read', (times) =>
      this.logger.warn(
        `ClickHouse cannot be read, PostgreSQL answers: ${shortReason(error)}, ${times} times since the last such line`,
      ),
    );
    return new ClickHouseUnavailable();
  }

  /** Counts in the metrics which store has answered. */
  countRead(store: 'clickhouse' | 'postgres'): void {
    this.reads?.inc({ store });
  }
}

function selectSql(
  server: ClickHouse,
  { projectId }: Scope,
  block: number,
  select: Select,
  { bind }: StatementValues,
): string {
  // Later blocks are excluded, because the caller reads their events from PostgreSQL.
  const [project, last] = [bind(projectId, 'UUID'), bind(block, 'UInt64')];
  const relation = (first: string): string =>
    `(SELECT *${DERIVED_PLACEHOLDER} FROM ${eventTable(server)} ${first}WHERE project_id = ${project} AND block <= ${last})`;
  const sql = `SELECT ${select(relation(''), (condition) => relation(`PREWHERE ${condition} `))}`;
  const derived = Object.entries(DERIVED).filter(([name]) => sql.includes(name));
  const columns = derived.map(([name, value]) => `, ${value} AS ${name}`).join('');
  return sql.replaceAll(DERIVED_PLACEHOLDER, () => columns);
}
