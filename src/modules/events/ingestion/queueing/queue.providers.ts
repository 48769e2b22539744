import { type FactoryProvider, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { Metrics } from '../../../../platform/telemetry/index.js';
import { EventBatcher } from '../writing/event-batcher.js';
import { EventIntake, UniqueEventsWriter } from '../../event-store/index.js';
import { AllowanceReader } from './allowance.reader.js';
import { EventQueue } from './event-queue.js';
import { RequestStream } from './request-stream.js';
import { QueueDrainNotifier } from './queue-drain-notifier.js';
import { StreamDrain } from './stream-drain.js';

const MOST_SILENCE_MS = 30_000;

/** Provides the request stream, or null without Redis. */
const EVENT_STREAM: FactoryProvider<RequestStream | null> = {
  provide: RequestStream,
  inject: [CONFIG, Metrics],
  useFactory: ({ redis, ingestion }: Config, metrics: Metrics) => {
    if (redis.url === undefined) return null;
    const logger = new Logger('ingestion');
    let saidAt = -MOST_SILENCE_MS;
    const stream = new RequestStream(redis.url, (error) => {
      // While Redis is unavailable every attempt to connect fails. At most one failure in `MOST_SILENCE_MS` is logged.
      if (performance.now() - saidAt < MOST_SILENCE_MS) return;
      saidAt = performance.now();
      logger.warn(`redis: ${error.message}`);
    });
    if (ingestion.mode === 'queued') {
      metrics.gauge('oes_ingest_queue_requests', 'Accepted requests that wait to be stored', [], async (gauge) => {
        gauge.set(await stream.length());
      });
    }
    return stream;
  },
};

/** Provides the intake of events: the queue in `queued` mode, else the writer to the database. */
const EVENT_INTAKE: FactoryProvider<EventIntake> = {
  provide: EventIntake,
  inject: [CONFIG, EventBatcher, RequestStream, AllowanceReader, UniqueEventsWriter],
  useFactory: (
    { ingestion }: Config,
    writer: EventBatcher,
    stream: RequestStream | null,
    allowances: AllowanceReader,
    uniqueEvents: UniqueEventsWriter,
  ) => {
    if (ingestion.mode !== 'queued') return writer;
    if (stream === null) throw new Error('queued ingestion needs Redis');
    return new EventQueue(stream, allowances, uniqueEvents);
  },
};

/**
 * Provides the drain in every process that runs workers and has Redis, whatever its ingest mode: the stream may hold
 * requests from before the mode was changed.
 */
const STREAM_DRAIN: FactoryProvider<StreamDrain | null> = {
  provide: StreamDrain,
  inject: [CONFIG, RequestStream, EventBatcher, QueueDrainNotifier],
  useFactory: ({ process }: Config, stream: RequestStream | null, writer: EventBatcher, drained: QueueDrainNotifier) =>
    stream === null || !process.runsWorkers ? null : new StreamDrain(stream, writer, drained),
};

export const QUEUE_PROVIDERS = [AllowanceReader, QueueDrainNotifier, EVENT_STREAM, EVENT_INTAKE, STREAM_DRAIN];
