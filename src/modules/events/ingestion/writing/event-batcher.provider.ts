import { type FactoryProvider, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { DATABASE_URL } from '../../../../platform/database/database.js';
import { isTracing, Metrics, recordSpan } from '../../../../platform/telemetry/index.js';
import { PLAN_LIMITS, PLANS } from '../../../tenancy/organizations/index.js';
import { PASSING_STATUSES, RequestLimitsService } from '../../../entitlement/quotas/index.js';
import { PostgresBatchWriter, type PendingWrite, type PlanParameters } from '../../event-store/index.js';
import { countEvents } from './batch-committer.js';
import { EventBatcher } from './event-batcher.js';
import { asError, errorMessage } from '../../../../platform/errors/index.js';

/** Number of connections in direct mode, where each request has its own transaction. */
const DIRECT_CONNECTIONS = 4;
/**
 * Number of connections in all other modes. The second connection only writes when a full batch waits while the first
 * connection is busy.
 */
const BATCH_CONNECTIONS = 2;
const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** The name of the connections that store events in `pg_stat_activity`. */
export const INGEST_CONNECTION_NAME = 'service-ingest';

export const EVENT_BATCHER: FactoryProvider<EventBatcher> = {
  provide: EventBatcher,
  inject: [CONFIG, DATABASE_URL, RequestLimitsService, Metrics],
  useFactory: (
    { ingestion, process, redis }: Config,
    databaseUrl: string,
    requestLimits: RequestLimitsService,
    metrics: Metrics,
  ) => {
    const logger = new Logger('ingestion');
    const alone = ingestion.mode === 'direct';
    const sizes = metrics.histogram('oes_ingest_batch_events', 'Events of one transaction', [], BATCH_SIZES);
    const seconds = metrics.histogram(
      'oes_ingest_batch_seconds',
      'Time of one transaction, waiting for locks included',
    );
    const onError = (error: unknown): void => logger.warn(`database: ${errorMessage(error)}`);
    const plans = planParameters(requestLimits);
    const writer = new EventBatcher({
      stores: Array.from(
        { length: alone ? DIRECT_CONNECTIONS : BATCH_CONNECTIONS },
        () => new PostgresBatchWriter(plans, { databaseUrl, name: INGEST_CONNECTION_NAME, onError }),
      ),
      batchMax: ingestion.batchMax,
      batchWaitMs: ingestion.batchWaitMs,
      alone,
      onWritten: (batch, took) => {
        sizes.observe(countEvents(batch));
        seconds.observe(took);
        if (isTracing()) trace(batch, took);
      },
      onFault: (error, what) => logger.error(asError(error), what),
    });
    // A process that only runs workers writes only the events of the Redis stream.
    if (process.runsApi || redis.url !== undefined) {
      metrics.gauge(
        'oes_ingest_backlog_events',
        'Events that wait for the database or are being written',
        [],
        (gauge) => gauge.set(writer.backlog),
      );
    }
    return writer;
  },
};

/** Records a batch as a statement of its first traced request, with links to the others. */
function trace(batch: readonly PendingWrite[], seconds: number): void {
  const [parent, ...links] = batch.flatMap(({ request: { traceparent } }) => traceparent ?? []);
  if (parent === undefined) return;
  const attributes = { 'db.system.name': 'postgresql', 'oes.batch_events': countEvents(batch) };
  recordSpan({ kind: 'client', name: 'ingest_events', parent, links, seconds, attributes });
}

/** Returns the allowances of the plans as parameters of every batch. */
function planParameters({ byPlan }: RequestLimitsService): PlanParameters {
  return {
    p_passing: arrayText(PASSING_STATUSES),
    p_plans: arrayText(PLANS),
    p_monthly: arrayText(PLANS.map((plan) => PLAN_LIMITS[plan].monthlyEvents)),
    p_daily: arrayText(PLANS.map((plan) => PLAN_LIMITS[plan].dailyEvents)),
    p_requests: arrayText(PLANS.map((plan) => byPlan[plan])),
  };
}

/** Returns a PostgreSQL array literal. The values are constants that need no quotes. */
function arrayText(values: readonly (string | number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}
