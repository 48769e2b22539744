import type { QueryResultRow } from 'pg';
import {
  DedicatedConnection,
  type DedicatedConnectionOptions,
} from '../../../../platform/database/dedicated-connection.js';
import { ArrayParameter } from '../../../../platform/database/array-parameter.js';
import { BatchStatement, type PlanParameters } from './batch-statement.js';
import type { PendingWrite } from './pending-write.js';
import type { Closure, StoredAnswer } from './write-request.js';

/** What the database says of a request that it did not write in full. */
export interface RequestVerdict {
  /** From 1, in the order of the batch. */
  readonly request: number;
  readonly admitted: number;
  readonly why:
    | 'replay'
    | 'conflict'
    | 'vanished'
    | Closure
    | 'billing'
    | 'limit_exceeded'
    | 'request_limit_exceeded'
    | 'daily_limit_exceeded';
  readonly answer?: StoredAnswer;
  readonly status: string;
  readonly limit: number | null;
  readonly used: number;
  readonly requestLimit: number | null;
  readonly requestsUsed: number;
}

export interface BatchResult {
  readonly acceptedAt: Date;
  /** Null: everything was admitted. */
  readonly verdicts: readonly RequestVerdict[] | null;
}

/** Where batches go. */
export interface BatchStore {
  /** All or nothing in one transaction, with a verdict for each request. Throws as `DedicatedConnection.rows`. */
  write(batch: readonly PendingWrite[]): Promise<BatchResult>;
  /** Which events of the batch are in the table, and when they were accepted. */
  find(batch: readonly PendingWrite[]): Promise<ReadonlyMap<string, Date>>;
  close(): Promise<void>;
}

/** Generic plans: planning the statements of the function anew costs more than running them. */
const SETTINGS = {
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
  statement_timeout: '30000',
  idle_in_transaction_session_timeout: '30000',
};

interface BatchRow extends QueryResultRow {
  accepted_at: number;
  verdicts: readonly RequestVerdict[] | null;
}

/** One connection that writes batches, and looks for what became of one. */
export class EventStore implements BatchStore {
  private readonly connection: DedicatedConnection;
  private readonly statement: BatchStatement;

  constructor(
    plans: PlanParameters,
    private readonly options: Omit<DedicatedConnectionOptions, 'settings'>,
  ) {
    this.statement = new BatchStatement(plans);
    this.connection = new DedicatedConnection({ ...options, settings: SETTINGS });
  }

  async write(batch: readonly PendingWrite[]): Promise<BatchResult> {
    try {
      return await this.writeMetered(batch, true);
    } catch (error) {
      if (!isUsageMissing(error)) throw error;
      this.options.onError(error);
      return this.writeMetered(batch, false);
    }
  }

  async find(batch: readonly PendingWrite[]): Promise<ReadonlyMap<string, Date>> {
    const [project, timestamp, id] = [
      new ArrayParameter('uuid'),
      new ArrayParameter('timestamptz'),
      new ArrayParameter('uuid'),
    ];
    for (const { request, events } of batch) {
      for (const event of events) {
        project.addUuid(request.sender.projectId);
        timestamp.addTime(event.timestamp);
        id.addUuid(event.id);
      }
    }
    const rows = await this.connection.rows<{ id: string; created_at: Date }>({
      name: 'find_events',
      text: `SELECT e.id, e.created_at FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[]) AS w (project_id, at, id)
             JOIN events e ON e.project_id = w.project_id AND e."timestamp" = w.at AND e.id = w.id`,
      values: [project.toBuffer(), timestamp.toBuffer(), id.toBuffer()],
    });
    return new Map(rows.map((row) => [row.id, row.created_at]));
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private async writeMetered(batch: readonly PendingWrite[], metered: boolean): Promise<BatchResult> {
    const [row] = await this.connection.rows<BatchRow>(this.statement.of(batch, metered));
    if (row === undefined) throw new Error('ingest_events answers one row');
    return { acceptedAt: new Date(row.accepted_at), verdicts: row.verdicts };
  }
}

/** A missing usage table breaks no request (SERVICE 4.5); quotas are counted elsewhere. */
function isUsageMissing(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === '42P01' && String(message).includes('usage_daily');
}
