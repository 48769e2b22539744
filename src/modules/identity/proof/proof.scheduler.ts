import { setTimeout as pause } from 'node:timers/promises';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { FairSemaphore, KeyOverloadedError } from '../../../platform/concurrency/index.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import type { AccessScope } from '../../access/index.js';

/**
 * Delay before a request is refused. A client that sends the next request after the refusal spends its own time and
 * none of ours.
 */
const REFUSAL_MS = 1_000;

/**
 * Limits how many authentication requests run at once. Each request costs password hashes and about a dozen statements,
 * so one caller with hundreds of requests must not fill the shared queues. Each account, or each address at sign-in,
 * runs one request at a time with at most 32 waiting. Beyond that the response is 429 after one second, before anything
 * is read.
 */
@Injectable()
export class ProofScheduler {
  private readonly slots = new FairSemaphore({
    parallel: 1_000,
    maxPerKey: 1,
    maxQueued: 1_000,
    maxQueuedPerKey: 32,
  });

  /** @throws KeyOverloadedError when more than 32 requests of the share are waiting */
  async run<T>(share: string, work: () => Promise<T>): Promise<T> {
    try {
      return await this.slots.run(share, work);
    } catch (error) {
      if (error instanceof KeyOverloadedError) await pause(REFUSAL_MS);
      throw error;
    }
  }
}

/**
 * Applies the {@link ProofScheduler} to routes of signed-in users that require a proof:
 * `@UseInterceptors(ProofSlotInterceptor)`.
 */
@Injectable()
export class ProofSlotInterceptor implements NestInterceptor {
  constructor(private readonly slots: ProofScheduler) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { access } = context.switchToHttp().getRequest<CheckedRequest<AccessScope>>();
    if (access === undefined || !('userId' in access)) throw new Error('only routes of somebody signed in have slots');
    return defer(() => this.slots.run(access.userId, () => lastValueFrom(next.handle())));
  }
}
