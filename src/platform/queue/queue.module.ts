import { BullModule, BullRegistrar, getQueueToken, type WorkerHost } from '@nestjs/bullmq';
import { Module, type DynamicModule, type FactoryProvider, type ModuleMetadata } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import type { Queue } from 'bullmq';
import { BoundedQueue, BoundedWorker } from './backend.js';
import { QueueConnections } from './connections.js';
import type { JobDeclaration } from './job-definition.js';
import { JobQueue } from './job-queue.js';
import { JobRunLog } from './job-run-log.js';
import { JobRunner } from './job-runner.js';
import { JobSchedules } from './job-schedules.js';
import { JobWorkers, queueWorkerHost } from './job-workers.js';
import { QueueLifecycle } from './queue-lifecycle.js';
import type { QueueOptions } from './queue.options.js';

/** The approximate number of entries in BullMQ's event stream. The service does not read this stream. */
const EVENTS_KEPT = 256;

const QUEUES = Symbol('queues');

export interface QueueModuleOptions<A extends unknown[]> {
  imports?: ModuleMetadata['imports'];
  inject?: FactoryProvider['inject'];
  useFactory: (...dependencies: A) => QueueOptions | Promise<QueueOptions>;
  /** Every job of the application. The modules that declare the jobs provide the handlers. */
  jobs: readonly JobDeclaration[];
}

@Module({})
class QueueConnectionsModule {}

/** The application's job queues. Exports JobQueue to every module. */
@Module({})
export class QueueModule {
  static forRootAsync<A extends unknown[]>({
    imports,
    inject,
    useFactory,
    jobs,
  }: QueueModuleOptions<A>): DynamicModule {
    BullModule.queueClass = BoundedQueue;
    BullModule.workerClass = BoundedWorker;
    const names = [...new Set(jobs.map((job) => job.queue))];
    const connections: DynamicModule = {
      module: QueueConnectionsModule,
      imports,
      providers: [
        {
          provide: QueueConnections,
          inject,
          useFactory: async (...dependencies: A) => QueueConnections.open(await useFactory(...dependencies)),
        },
      ],
      exports: [QueueConnections],
    };
    return {
      module: QueueModule,
      global: true,
      imports: [
        connections,
        DiscoveryModule,
        BullModule.forRootAsync({
          imports: [connections],
          inject: [QueueConnections],
          useFactory: (opened: QueueConnections) => ({
            connection: opened.forQueues,
            prefix: opened.options.redisPrefix,
            streams: { events: { maxLen: EVENTS_KEPT } },
          }),
          // Workers start after the handlers are checked and the queues are ready.
          extraOptions: { manualRegistration: true },
        }),
        BullModule.registerQueue(...names.map((name) => ({ name }))),
      ],
      providers: [...queueProviders(names, jobs), ...workerProviders(names, jobs), ...jobProviders(jobs)],
      exports: [JobQueue],
    };
  }
}

function hostToken(queue: string): string {
  return `QueueWorkerHost_${queue}`;
}

function queueProviders(names: readonly string[], jobs: readonly JobDeclaration[]): FactoryProvider[] {
  return [
    {
      provide: QUEUES,
      inject: names.map((name) => getQueueToken(name)),
      useFactory: (...queues: Queue[]) => new Map(queues.map((queue) => [queue.name, queue])),
    },
    {
      provide: JobSchedules,
      inject: [QUEUES, QueueConnections],
      useFactory: (queues: Map<string, Queue>, { pool, timings }: QueueConnections) =>
        new JobSchedules(jobs, queues, pool, timings),
    },
  ];
}

function workerProviders(names: readonly string[], jobs: readonly JobDeclaration[]): FactoryProvider[] {
  return [
    ...names.map((name) => ({
      provide: hostToken(name),
      inject: [QueueConnections, JobRunner],
      useFactory: (connections: QueueConnections, runner: JobRunner) =>
        queueWorkerHost(name, jobs, connections, runner),
    })),
    {
      provide: JobWorkers,
      inject: [BullRegistrar, QueueConnections, ...names.map(hostToken)],
      useFactory: (registrar: BullRegistrar, { timings }: QueueConnections, ...hosts: WorkerHost[]) =>
        new JobWorkers(hosts, registrar, timings.start),
    },
  ];
}

function jobProviders(jobs: readonly JobDeclaration[]): FactoryProvider[] {
  return [
    {
      provide: JobRunLog,
      inject: [QueueConnections],
      useFactory: ({ pool }: QueueConnections) => new JobRunLog(pool),
    },
    { provide: JobRunner, inject: [JobRunLog], useFactory: (log: JobRunLog) => new JobRunner(log) },
    {
      provide: JobQueue,
      inject: [QUEUES, JobRunner, JobWorkers, JobRunLog, QueueConnections],
      useFactory: (
        queues: Map<string, Queue>,
        runner: JobRunner,
        workers: JobWorkers,
        log: JobRunLog,
        { timings }: QueueConnections,
      ) => new JobQueue(jobs, queues, runner, workers, log, timings.add),
    },
    {
      provide: QueueLifecycle,
      inject: [QUEUES, QueueConnections, JobRunner, JobWorkers, JobSchedules, JobRunLog, DiscoveryService],
      useFactory: (
        queues: Map<string, Queue>,
        connections: QueueConnections,
        runner: JobRunner,
        workers: JobWorkers,
        schedules: JobSchedules,
        log: JobRunLog,
        discovery: DiscoveryService,
      ) => new QueueLifecycle({ jobs, queues, connections, runner, workers, schedules, log, discovery }),
    },
  ];
}
