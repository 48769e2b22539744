import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { PLAN_LIMITS, type Plan } from '../../../tenancy/organizations/index.js';
import {
  type IngestionAllowances,
  monthlyEventLimit,
  RequestLimitsService,
} from '../../../entitlement/quotas/index.js';
import type { Closure, Sender, StoredAnswer } from '../../event-store/index.js';

/** The current values in the database that decide whether a sender's request is accepted. */
export interface SenderAllowances extends IngestionAllowances {
  /** The time of the read, by the database's clock. */
  readonly at: Date;
  readonly closed: Closure | null;
  readonly today: { readonly used: number; readonly limit: number | null };
}

interface FactsRow {
  readonly at: number;
  readonly gone: boolean;
  readonly archived: boolean;
  readonly plan: Plan;
  readonly billing_status: string;
  readonly own_limit: number | null;
  readonly used: number;
  readonly requests: number;
  readonly today: number;
}

interface Waiting {
  readonly sender: Sender;
  resolve(allowances: SenderAllowances): void;
  reject(error: unknown): void;
}

/** Reads allowances for many requests at once. While one query runs, the senders of the next query are collected. */
@Injectable()
export class AllowanceReader {
  private waiting: Waiting[] = [];
  private running = false;

  constructor(
    private readonly database: Database,
    private readonly requestLimits: RequestLimitsService,
  ) {}

  /** Returns the sender's allowances, read from the database after this call and never from a cache. */
  read(sender: Sender): Promise<SenderAllowances> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ sender, resolve, reject });
      if (!this.running) void this.run();
    });
  }

  /** Returns the stored hash and answer of an idempotency key, or null without a record. */
  async answerOf(apiKeyId: string | null, key: string): Promise<{ hash: Buffer; stored: StoredAnswer } | null> {
    const [row] = await this.database.rows<{ request_hash: Buffer; answer: StoredAnswer }>(
      'SELECT request_hash, answer FROM idempotency_records WHERE api_key_id = $1 AND key = $2',
      [apiKeyId, key],
    );
    return row === undefined ? null : { hash: row.request_hash, stored: row.answer };
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        // A sender is queried once, however many requests it has in the batch.
        const senders = new Map(batch.map(({ sender }) => [nameOf(sender), sender]));
        const rows = await this.query([...senders.values()]);
        const read = new Map([...senders.keys()].map((name, index) => [name, rows[index]]));
        for (const one of batch) one.resolve(this.allowancesOf(read.get(nameOf(one.sender))));
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
    }
    this.running = false;
  }

  private query(senders: readonly Sender[]): Promise<FactsRow[]> {
    return this.database.rows<FactsRow>(
      `SELECT extract(epoch FROM t.at)::float8 * 1000 AS at, f.gone, f.archived, f.plan, f.billing_status,
              f.own_limit::float8 AS own_limit, f.used::float8 AS used, f.requests::float8 AS requests,
              f.today::float8 AS today
       FROM (SELECT now()::timestamptz(3) AS at) t
       CROSS JOIN LATERAL ingestion_facts($1::uuid[], $2::uuid[], $3::uuid[], (t.at AT TIME ZONE 'UTC')::date) f
       ORDER BY f.n`,
      [
        senders.map(({ organizationId }) => organizationId),
        senders.map(({ projectId }) => projectId),
        senders.map(({ sourceId }) => sourceId),
      ],
    );
  }

  private allowancesOf(row: FactsRow | undefined): SenderAllowances {
    if (row === undefined) throw new Error('every sender has a row');
    return {
      at: new Date(row.at),
      closed: row.gone ? 'gone' : row.archived ? 'archived' : null,
      billingStatus: row.billing_status,
      events: { used: row.used, limit: row.gone ? 0 : monthlyEventLimit(row.plan, row.own_limit) },
      requests: { used: row.requests, limit: row.gone ? 0 : this.requestLimits.byPlan[row.plan] },
      today: { used: row.today, limit: row.gone ? 0 : PLAN_LIMITS[row.plan].dailyEvents },
    };
  }
}

function nameOf({ organizationId, projectId, sourceId }: Sender): string {
  return `${organizationId} ${projectId} ${sourceId}`;
}
