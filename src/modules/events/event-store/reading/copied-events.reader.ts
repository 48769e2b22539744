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
import { EVENT_SERVER } from '../event-server.js';
import { OTHER_PROPERTIES } from '../../fields/index.js';
import { eventTable } from '../tables/table-statements.js';

/** The copy could not tell within the time and memory of one read. */
export class CopyReadTooLong extends Error {}

/** The copy cannot tell, as it turned out while it was read: PostgreSQL has to be asked instead. */
export class CopyCannotTell extends Error {}

/**
 * What a relation has beside the columns, where its statement asks for it: lengths are read without the texts, and short
 * statements would spend a tenth of their time on SQL that they do not need.
 */
const DERIVED: Readonly<Record<string, string>> = {
  other_properties: OTHER_PROPERTIES,
  properties_size: 'properties.size',
  message_size: 'message.size',
  endpoint_size: 'log_endpoint.size',
};
/** Stands for it until it is known what the statement asks for. */
const DERIVED_PLACE = '/* derived */';

type Scope = Pick<ProjectScope, 'projectId'>;
/** As a relation those events that a condition on their columns is true of, which are quickly read: of others nothing else is. */
export type Among = (condition: string) => string;
type Select = (copied: string, among: Among) => string;

/**
 * The events of ClickHouse, for reads. PostgreSQL has every event, too, so whatever cannot be told here is told there: a copy
 * that is not whole, one that is far behind, a server that is away.
 */
@Injectable()
export class CopiedEventsReader {
  /** Whether reads come from here. Never where no server is configured. */
  readonly isAsked: boolean;
  private readonly logger = new Logger('event-store');
  private readonly seldom = new LogThrottle();
  private readonly reads;
  /** A server that has not answered is let alone for so long, so that not each read waits for it. */
  letAloneMs = 10_000;
  /** On the process's clock, in milliseconds. */
  private silentUntil = -Infinity;

  constructor(
    @Inject(CONFIG) { eventReads }: Config,
    @Inject(EVENT_SERVER) private readonly server: ClickHouse | null,
    metrics: Metrics,
  ) {
    this.isAsked = eventReads === 'clickhouse' && server !== null;
    this.reads = this.isAsked
      ? metrics.counter('oes_event_store_reads_total', 'Reads of events by the store that has answered', ['store'])
      : null;
  }

  /** It has not answered lately, and is not asked. */
  get isSilent(): boolean {
    return performance.now() < this.silentUntil;
  }

  /**
   * @param select what follows SELECT, of the relation that it is given: the project's rows of the blocks up to `block`,
   *   with `other_properties` for those that ClickHouse does not read as they are, and `properties_size`, `message_size` and
   *   `endpoint_size` in bytes
   * @returns null where the server cannot be asked
   * @throws CopyReadTooLong
   */
  async rows<Row>(
    scope: Scope,
    block: number,
    select: Select,
    statement: StatementValues,
    bounds: ReadBounds,
  ): Promise<Row[] | null> {
    const { server } = this;
    if (server === null || this.isSilent) return null;
    const sql = selectSql(server, scope, block, select, statement);
    try {
      return await server.read<Row>(sql, statement.values, bounds);
    } catch (error) {
      const fault = this.faultOf(error, bounds);
      if (fault instanceof CopyCannotTell) return null;
      throw fault;
    }
  }

  /**
   * As {@link rows}, some at a time.
   * @throws CopyReadTooLong, and CopyCannotTell, also after the first ones
   */
  async *stream<Row>(
    scope: Scope,
    block: number,
    select: Select,
    statement: StatementValues,
    bounds: ReadBounds,
  ): AsyncGenerator<Row[], void> {
    const { server } = this;
    if (server === null || this.isSilent) throw new CopyCannotTell();
    const rows = server.stream<Row>(selectSql(server, scope, block, select, statement), statement.values, bounds);
    for (;;) {
      // What goes wrong with those who take the rows is not the server's.
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
    if (isTooMuch(error)) return new CopyReadTooLong();
    if (error instanceof SilentServer) this.silentUntil = performance.now() + this.letAloneMs;
    this.seldom.happened('read', (times) =>
      this.logger.warn(
        `ClickHouse cannot be read, PostgreSQL answers: ${shortReason(error)}, ${times} times since the last such line`,
      ),
    );
    return new CopyCannotTell();
  }

  /** Tells who has answered. */
  answered(store: 'clickhouse' | 'postgres'): void {
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
  // Later blocks are still among what PostgreSQL adds.
  const [project, last] = [bind(projectId, 'UUID'), bind(block, 'UInt64')];
  const relation = (first: string): string =>
    `(SELECT *${DERIVED_PLACE} FROM ${eventTable(server)} ${first}WHERE project_id = ${project} AND block <= ${last})`;
  const sql = `SELECT ${select(relation(''), (condition) => relation(`PREWHERE ${condition} `))}`;
  const derived = Object.entries(DERIVED).filter(([name]) => sql.includes(name));
  const columns = derived.map(([name, value]) => `, ${value} AS ${name}`).join('');
  return sql.replaceAll(DERIVED_PLACE, () => columns);
}
