import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import type { ProjectScope } from '../../../access/index.js';
import {
  type ClickHouse,
  isTooMuch,
  shortReason,
  SilentServer,
  type StatementValues,
} from '../../../../platform/clickhouse/index.js';
import { LogThrottle, Metrics } from '../../../../platform/telemetry/index.js';
import { EVENT_SERVER } from '../event-server.js';
import { eventTable } from '../tables/table-statements.js';

/** A server that has not answered is let alone for so long, so that not each read waits for it. */
const LET_ALONE_MS = 10_000;

/** What one read of the copy may take. */
export interface CopyReading {
  readonly milliseconds: number;
  /** Ends it: nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

/** The copy could not tell within the time and memory of one read. */
export class CopyReadTooLong extends Error {}

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
  /** On the process's clock, in milliseconds. */
  private silentUntil = -Infinity;

  constructor(
    @Inject(CONFIG) { eventReads }: Config,
    @Inject(EVENT_SERVER) private readonly server: ClickHouse | null,
    metrics: Metrics,
  ) {
    this.isAsked = eventReads === 'clickhouse' && server !== null;
    this.reads = this.isAsked
      ? metrics.counter('event_store_reads_total', 'Reads of events by the store that has answered', ['store'])
      : null;
  }

  /** It has not answered lately, and is not asked. */
  get isSilent(): boolean {
    return performance.now() < this.silentUntil;
  }

  /**
   * @param select what follows SELECT, of the relation that it is given: the project's rows of the blocks up to `block`
   * @returns null where the server cannot be asked
   * @throws CopyReadTooLong
   */
  async rows<Row>(
    { projectId }: Pick<ProjectScope, 'projectId'>,
    block: number,
    select: (copied: string) => string,
    statement: StatementValues,
    reading: CopyReading,
  ): Promise<Row[] | null> {
    const { server } = this;
    if (server === null || this.isSilent) return null;
    // Later blocks are still among what PostgreSQL adds.
    const { bind } = statement;
    const copied = `(SELECT * FROM ${eventTable(server)} WHERE project_id = ${bind(projectId, 'UUID')} AND block <= ${bind(block, 'UInt64')})`;
    try {
      return await server.read<Row>(`SELECT ${select(copied)}`, statement.values, reading);
    } catch (error) {
      reading.signal?.throwIfAborted();
      if (isTooMuch(error)) throw new CopyReadTooLong();
      if (error instanceof SilentServer) this.silentUntil = performance.now() + LET_ALONE_MS;
      this.seldom.happened('read', (times) =>
        this.logger.warn(
          `ClickHouse cannot be read, PostgreSQL answers: ${shortReason(error)}, ${times} times since the last such line`,
        ),
      );
      return null;
    }
  }

  /** Tells who has answered. */
  answered(store: 'clickhouse' | 'postgres'): void {
    this.reads?.inc({ store });
  }
}
