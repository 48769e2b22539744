import type {
  BeforeApplicationShutdown,
  OnApplicationBootstrap,
  OnApplicationShutdown,
  OnModuleInit,
} from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import type { Queue } from 'bullmq';
import type { QueueConnections } from './connections.js';
import type { JobDeclaration } from './job-definition.js';
import { assertJobsAreWired, findHandlers } from './job-handlers.js';
import type { JobRunLog } from './job-run-log.js';
import type { JobRunner } from './job-runner.js';
import type { JobSchedules } from './job-schedules.js';
import type { JobWorkers } from './job-workers.js';
import { describeError, QueueUnavailableError } from './queue-errors.js';
import { within } from '../concurrency/index.js';

interface QueueParts {
  readonly jobs: readonly JobDeclaration[];
  readonly queues: ReadonlyMap<string, Queue>;
  readonly connections: QueueConnections;
  readonly runner: JobRunner;
  readonly workers: JobWorkers;
  readonly schedules: JobSchedules;
  readonly log: JobRunLog;
  readonly discovery: DiscoveryService;
}

/**
 * Starts and stops the queues with the application. When the start fails, it closes all connections, and the
 * application does not start.
 */
export class QueueLifecycle
  implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  constructor(private readonly parts: QueueParts) {}

  async onModuleInit(): Promise<void> {
    const { jobs, connections, discovery, runner } = this.parts;
    await this.orRelease(async () => {
      const handlers = findHandlers(discovery);
      assertJobsAreWired(jobs, handlers, connections.options.runWorkers);
      runner.use(handlers);
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    const { queues, connections, workers, schedules } = this.parts;
    await this.orRelease(async () => {
      try {
        const ready = Promise.all([...queues.values()].map((queue) => queue.waitUntilReady()));
        await within(connections.timings.start, ready, () => new Error('the backend did not answer in time'));
        if (!connections.options.runWorkers) return;
        await workers.start();
        await schedules.start();
        workers.run();
      } catch (error) {
        throw new QueueUnavailableError(describeError(error), error);
      }
    });
  }

  /** Runs before the application closes its database, which running jobs still need. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.parts.schedules.stop();
    await this.parts.workers.close();
    await within(this.parts.connections.timings.add, this.parts.log.flush(), () => new Error('late')).catch(
      () => undefined,
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.beforeApplicationShutdown();
    await Promise.all([...this.parts.queues.values()].map((queue) => queue.close()));
    await this.parts.connections.close();
  }

  private async orRelease(start: () => Promise<void>): Promise<void> {
    try {
      await start();
    } catch (error) {
      await this.onApplicationShutdown();
      throw error;
    }
  }
}
