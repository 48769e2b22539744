import type { DiscoveryService } from '@nestjs/core';
import { JOB_HANDLER, type JobDeclaration, type JobProcessor } from './job-definition.js';
import { JobWiringError } from './queue-errors.js';

export interface FoundHandler {
  readonly job: JobDeclaration;
  readonly className: string;
  /** Null for a request-scoped provider, which cannot run jobs. */
  readonly instance: JobProcessor<object> | null;
}

/** Returns every provider marked with `@JobHandler`, once for each instance. */
export function findHandlers(discovery: DiscoveryService): FoundHandler[] {
  const seen = new Set<object>();
  const found: FoundHandler[] = [];
  for (const wrapper of discovery.getProviders()) {
    const instance: unknown = wrapper.instance;
    const providerClass: unknown = wrapper.inject ? instance?.constructor : (wrapper.metatype ?? instance?.constructor);
    if (typeof providerClass !== 'function') continue;
    const job = Reflect.getMetadata(JOB_HANDLER, providerClass) as JobDeclaration | undefined;
    if (!job) continue;
    if (!wrapper.isDependencyTreeStatic()) {
      found.push({ job, className: providerClass.name, instance: null });
    } else if (isProcessor(instance) && !seen.has(instance)) {
      seen.add(instance);
      found.push({ job, className: providerClass.name, instance });
    }
  }
  return found;
}

/**
 * Throws a JobWiringError unless job names are unique and, in a process that runs jobs, each job has exactly one
 * handler.
 */
export function assertJobsAreWired(
  jobs: readonly JobDeclaration[],
  handlers: readonly FoundHandler[],
  runWorkers: boolean,
): void {
  const problems: string[] = [];
  const names = new Set(jobs.map((job) => job.name));
  for (const name of names) {
    const same = jobs.filter((job) => job.name === name);
    if (same.length > 1) problems.push(`${same.length} jobs are named "${name}"`);
  }
  if (runWorkers) {
    for (const job of names) {
      const own = handlers.filter((handler) => handler.job.name === job);
      if (own.length === 0) problems.push(`job "${job}" has no handler: no provider is marked @JobHandler for it`);
      if (own.length > 1) {
        problems.push(`job "${job}" has ${own.length} handlers: ${own.map((h) => h.className).join(', ')}`);
      }
    }
    for (const { job, className, instance } of handlers) {
      if (!names.has(job.name)) problems.push(`${className} handles job "${job.name}", which is not registered`);
      if (!instance) problems.push(`${className} is made per request; a job handler must be a singleton`);
    }
  }
  if (problems.length > 0) throw new JobWiringError(problems);
}

function isProcessor(value: unknown): value is JobProcessor<object> {
  return typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';
}
