import { type FactoryProvider, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { DATABASE_URL } from '../../../../platform/database/database.js';
import { Metrics } from '../../../../platform/telemetry/index.js';
import { PLAN_LIMITS, PLANS } from '../../../tenancy/organizations/index.js';
import { PASSING_STATUSES, RequestLimitsService } from '../../../entitlement/quotas/index.js';
import { EventBatchesWriter, type PlanParameters } from '../../event-store/index.js';
import { EventWriter } from './event-writer.js';

/** Transactions at a time when every request has one of its own. */
const DIRECT_CONNECTIONS = 4;
/** With batches: the one that writes them, and one for what fills a batch while that is at work. */
const BATCH_CONNECTIONS = 2;
const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** How the connections that store events are called in `pg_stat_activity`. */
export const INGEST_CONNECTION_NAME = 'service-ingest';

export const EVENT_WRITER: FactoryProvider<EventWriter> = {
  provide: EventWriter,
  inject: [CONFIG, DATABASE_URL, RequestLimitsService, Metrics],
  useFactory: (
    { ingestion, process, redis }: Config,
    databaseUrl: string,
    requestLimits: RequestLimitsService,
    metrics: Metrics,
  ) => {
    const logger = new Logger('ingestion');
    const alone = ingestion.mode === 'direct';
    const sizes = metrics.histogram('ingest_batch_events', 'Events of one transaction', [], BATCH_SIZES);
    const seconds = metrics.histogram('ingest_batch_seconds', 'Time of one transaction, waiting for locks included');
    const onError = (error: unknown): void => logger.warn(`database: ${messageOf(error)}`);
    const plans = planParameters(requestLimits);
    const writer = new EventWriter({
      stores: Array.from(
        { length: alone ? DIRECT_CONNECTIONS : BATCH_CONNECTIONS },
        () => new EventBatchesWriter(plans, { databaseUrl, name: INGEST_CONNECTION_NAME, onError }),
      ),
      batchMax: ingestion.batchMax,
      batchWaitMs: ingestion.batchWaitMs,
      alone,
      onWritten: (events, took) => {
        sizes.observe(events);
        seconds.observe(took);
      },
      onFault: (error, what) => logger.error(error instanceof Error ? error : new Error(String(error)), what),
    });
    // A worker alone writes events only out of the Redis stream.
    if (process.runsApi || redis.url !== undefined) {
      metrics.gauge('ingest_backlog_events', 'Events that wait for the database or are being written', [], (gauge) =>
        gauge.set(writer.backlog),
      );
    }
    return writer;
  },
};

/** The allowances of the plans, as parameters of every batch. */
function planParameters({ byPlan }: RequestLimitsService): PlanParameters {
  return {
    p_passing: arrayText(PASSING_STATUSES),
    p_plans: arrayText(PLANS),
    p_monthly: arrayText(PLANS.map((plan) => PLAN_LIMITS[plan].monthlyEvents)),
    p_daily: arrayText(PLANS.map((plan) => PLAN_LIMITS[plan].dailyEvents)),
    p_requests: arrayText(PLANS.map((plan) => byPlan[plan])),
  };
}

/** Words and numbers of ours, none of which needs quoting. */
function arrayText(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
