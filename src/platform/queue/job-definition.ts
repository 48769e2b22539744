import { Injectable, SetMetadata, type Type } from '@nestjs/common';

declare const types: unique symbol;

/**
 * T itself if JSON preserves it. Types that JSON does not preserve become `never`, for example Date, Map, functions and
 * undefined.
 */
export type JsonSafe<T> = T extends string | number | boolean | null
  ? T
  : T extends (...args: never[]) => unknown
    ? never
    : T extends Date | Map<unknown, unknown> | Set<unknown> | Uint8Array | RegExp | Error
      ? never
      : T extends object
        ? { [K in keyof T]: JsonSafe<T[K]> }
        : never;

/** An object that JSON preserves. Payloads must have this type. */
export type JsonObject<T> = object & { [K in keyof T]: JsonSafe<T[K]> };

/** The payload of a job without data. */
export type NoPayload = Record<string, never>;

/** The declaration of a job without its payload type. */
export interface JobDeclaration {
  readonly name: string;
  /** The queue of the job. Jobs of one queue share its worker. */
  readonly queue: string;
  /**
   * The maximum number of attempts. A run that is repeated because its worker died is not counted as another attempt.
   */
  readonly attempts: number;
  /** The wait before the next attempt: `delayMs` each time, or doubled each time. */
  readonly backoff?: { readonly type: 'fixed' | 'exponential'; readonly delayMs: number };
  /** The maximum concurrent runs of this queue in one process. The largest value among the queue's jobs applies. */
  readonly concurrency: number;
  /** A schedule that all processes share, with the payload of its runs. */
  readonly every?: { readonly ms: number; readonly payload: object };
}

export interface JobDefinition<P extends object, R = unknown> extends JobDeclaration {
  readonly every?: { readonly ms: number; readonly payload: P };
  /** Never has a value. It carries the types of the payload and the result. */
  readonly [types]?: { payload: P; result: R };
}

export interface JobContext {
  readonly jobId: string;
  /** 1 for the first attempt. A run that is repeated because its worker died keeps its number. */
  readonly attempt: number;
  /** Aborts when the run has lost its job to another worker, or when the time limit for shutdown has passed. */
  readonly signal: AbortSignal;
}

export interface JobProcessor<P extends object, R = unknown> {
  run(payload: P, context: JobContext): Promise<R>;
}

type JobSettings<P extends object> = Pick<JobDeclaration, 'name'> &
  Partial<Pick<JobDeclaration, 'queue' | 'attempts' | 'backoff' | 'concurrency'>> & {
    readonly every?: { readonly ms: number; readonly payload: P };
  };

const NAME = /^[a-z][a-z0-9-]{0,62}$/;

/**
 * Declares a job in the module that owns it. The queue defaults to the name of the job, attempts and concurrency to 1.
 * Throws a TypeError for invalid settings.
 */
export function defineJob<P extends JsonObject<P>, R = unknown>(settings: JobSettings<P>): JobDefinition<P, R> {
  const { name, queue = name, attempts = 1, concurrency = 1, backoff, every } = settings;
  const definition: JobDefinition<P, R> = { name, queue, attempts, concurrency, backoff, every };
  for (const text of [name, queue]) {
    if (!NAME.test(text)) throw new TypeError(`"${text}" is not a job or queue name: lower case, digits and "-" only`);
  }
  for (const [what, value] of Object.entries({ attempts, concurrency, every: every?.ms ?? 1 })) {
    if (!Number.isInteger(value) || value < 1) {
      throw new TypeError(`${what} of job "${name}" must be a whole number of at least 1`);
    }
  }
  return Object.freeze(definition);
}

export const JOB_HANDLER = Symbol('job handler');

/** Marks the one provider that runs a job. The provider must be a singleton, because runs have no request. */
export function JobHandler<P extends object, R>(job: JobDefinition<P, R>): (target: Type<JobProcessor<P, R>>) => void {
  return (target) => {
    Injectable()(target);
    SetMetadata(JOB_HANDLER, job)(target);
  };
}
