import type { QueryResultRow } from 'pg';
import {
  DedicatedConnection,
  type DedicatedConnectionOptions,
  type Statement,
} from '../../../../platform/database/dedicated-connection.js';
import { ArrayParameter, type RowLayout } from '../../../../platform/database/array-parameter.js';
import { BatchParameters, type PlanParameters } from './batch-parameters.js';
import { BatchTraces } from './batch-traces.js';
import type { PendingWrite } from './pending-write.js';
import type { Closure, StoredAnswer } from './write-request.js';

/** The database's verdict on a request that was not written completely. */
export interface RequestVerdict {
  /** The number of the request in the batch, from 1. */
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
  /** Null when every event was admitted. */
  readonly verdicts: readonly RequestVerdict[] | null;
  /** The ids of stored events, by the ids of their duplicates in the batch. Null when there are none. */
  readonly duplicates: Readonly<Record<string, string>> | null;
}

/** Stores batches. */
export interface BatchStore {
  /**
   * Writes a batch in one transaction, with a verdict for each request. Throws the errors of
   * `DedicatedConnection.rows`.
   */
  write(batch: readonly PendingWrite[]): Promise<BatchResult>;
  /** Returns which events of the batch are stored, with the times at which they were accepted. */
  find(batch: readonly PendingWrite[]): Promise<ReadonlyMap<string, Date>>;
  close(): Promise<void>;
}

/** Generic plans are used because planning the statements of the function again costs more than running them. */
const SETTINGS = {
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
  statement_timeout: '30000',
  idle_in_transaction_session_timeout: '30000',
};

interface BatchRow extends QueryResultRow {
  accepted_at: number;
  verdicts: readonly RequestVerdict[] | null;
  /** Undefined for a batch without unique keys. */
  duplicates?: Readonly<Record<string, string>> | null;
}

/** Writes batches over one connection, and finds out whether a batch was written. */
export class PostgresBatchWriter implements BatchStore {
  private readonly connection: DedicatedConnection;
  private parameters: BatchParameters | undefined;
  private readonly traces = new BatchTraces();
  private readonly calls = new Map<string, Statement['text']>();

  constructor(
    private readonly plans: PlanParameters,
    private readonly options: Omit<DedicatedConnectionOptions, 'settings'>,
  ) {
    this.connection = new DedicatedConnection({ ...options, settings: SETTINGS });
  }

  async write(batch: readonly PendingWrite[]): Promise<BatchResult> {
    try {
      return await this.writeRows(batch, true);
    } catch (error) {
      if (!isUsageMissing(error)) throw error;
      this.options.onError(error);
      return this.writeRows(batch, false);
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
        project.add(request.sender.projectId);
        timestamp.add(event.timestamp);
        id.add(event.id);
      }
    }
    const rows = await this.connection.rows<{ id: string; created_at: Date }>({
      name: 'find_events',
      text: `SELECT /* tenant: each event's sender */ e.id, e.created_at
             FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[]) AS w (project_id, at, id)
             JOIN events e ON e.project_id = w.project_id AND e."timestamp" = w.at AND e.id = w.id`,
      values: [project.toBuffer(), timestamp.toBuffer(), id.toBuffer()],
    });
    return new Map(rows.map((row) => [row.id, row.created_at]));
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** A migration may add or remove a field of events while this process runs. Then the type is read again. */
  private async writeRows(batch: readonly PendingWrite[], metered: boolean): Promise<BatchResult> {
    try {
      return await this.writeMetered(batch, metered);
    } catch (error) {
      if (!isMigratedMeanwhile(error)) throw error;
      this.parameters = undefined;
      return this.writeMetered(batch, metered);
    }
  }

  private async writeMetered(batch: readonly PendingWrite[], metered: boolean): Promise<BatchResult> {
    this.parameters ??= new BatchParameters(this.plans, await this.eventType());
    const parameters = await this.parameters.of(batch, metered);
    const [row] = await this.connection.rows<BatchRow>(this.callWith(parameters, this.traces.of(batch)));
    if (row === undefined) throw new Error('ingest_events answers one row');
    return { acceptedAt: new Date(row.accepted_at), verdicts: row.verdicts, duplicates: row.duplicates ?? null };
  }

  private callWith(
    parameters: Awaited<ReturnType<BatchParameters['of']>>,
    traces: readonly Buffer[] | null,
  ): Statement {
    const hasUniqueKeys = parameters.u_event !== undefined;
    const hasTraces = traces !== null;
    const name = `${functionOf(hasUniqueKeys)}${hasTraces ? '_traced' : ''}`;
    const text = this.calls.get(name) ?? callOf(Object.keys(parameters), { hasUniqueKeys, hasTraces });
    this.calls.set(name, text);
    return { name, text, values: [...Object.values(parameters), ...(traces ?? [])] };
  }

  private async eventType(): Promise<RowLayout> {
    const attributes = await this.connection.rows<{ type: number; name: string; oid: number }>({
      name: 'ingested_event',
      text: `SELECT t.oid::int8::float8 AS type, a.attname AS name, a.atttypid::int8::float8 AS oid
             FROM pg_type t JOIN pg_attribute a ON a.attrelid = t.typrelid
             WHERE t.oid = 'ingested_event'::regtype AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
      values: [],
    });
    return { oid: attributes[0]?.type ?? 0, attributes };
  }
}

function functionOf(hasUniqueKeys: boolean): string {
  return hasUniqueKeys ? 'ingest_unique_events' : 'ingest_events';
}

function callOf(
  names: readonly string[],
  { hasUniqueKeys, hasTraces }: { readonly hasUniqueKeys: boolean; readonly hasTraces: boolean },
): string {
  const columns = hasUniqueKeys ? 'accepted_at, verdicts, duplicates' : 'accepted_at, verdicts';
  const parameters = names.map((name, at) => `${name} => $${at + 1}`).join(', ');
  const call = `SELECT ${columns} FROM ${functionOf(hasUniqueKeys)}(${parameters})`;
  if (!hasTraces) return call;
  const [projects, firsts, lasts, traces] = [1, 2, 3, 4].map((place) => `$${names.length + place}`);
  // Each traced request is one element of the arrays. Its events are expanded only when alert rules watch its project.
  return `WITH watched AS MATERIALIZED (
    SELECT t.* FROM unnest(${projects}::uuid[], ${firsts}::int4[], ${lasts}::int4[], ${traces}::text[])
      AS t (project_id, first, last, traceparent)
    WHERE EXISTS (SELECT FROM event_watches w WHERE w.project_id = t.project_id)),
  traced AS (
    INSERT INTO event_traces (project_id, event_id, traceparent)
    SELECT t.project_id, e.id, t.traceparent
    FROM watched t CROSS JOIN LATERAL unnest(($${names.indexOf('p_events') + 1}::ingested_event[])[t.first : t.last]) AS e
    ON CONFLICT ON CONSTRAINT pk_event_traces DO NOTHING)
  ${call}`;
}

/**
 * `datatype_mismatch`: the rows do not have the current attributes of their type. `undefined_column`: the function was
 * called before a migration that it waited for, and uses a column that the migration has removed.
 */
function isMigratedMeanwhile(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === '42804' || code === '42703';
}

/** A missing usage table must not fail a request. Quotas are counted in another table. */
function isUsageMissing(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === '42P01' && String(message).includes('usage_daily');
}
