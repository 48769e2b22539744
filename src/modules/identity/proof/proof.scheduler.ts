import { setTimeout as pause } from 'node:timers/promises';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { FairSemaphore, ShareExhaustedError } from '../../../platform/concurrency/index.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import type { AccessScope } from '../../access/index.js';

/** How long a request waits for its refusal: who sends the next one then pays with time of their own, not of ours. */
const REFUSAL_MS = 1_000;

/**
 * Turns for what proves who somebody is: each costs hashes and a dozen statements, and whoever asks for hundreds at once
 * must not stand hundreds of times in the queues of all. An account, or an address at the sign-in, has one at a time and a few
 * waiting; beyond that the answer is 429, a second late, before anything was looked up.
 */
@Injectable()
export class ProofScheduler {
  private readonly turns = new FairSemaphore({
    parallel: 1_000,
    parallelOfShare: 1,
    mostWaiting: 1_000,
    mostWaitingOfShare: 32,
  });

  /** @throws ShareExhaustedError when more than a few of the share wait */
  async run<T>(share: string, work: () => Promise<T>): Promise<T> {
    try {
      return await this.turns.run(share, work);
    } catch (error) {
      if (error instanceof ShareExhaustedError) await pause(REFUSAL_MS);
      throw error;
    }
  }
}

/** For routes of somebody signed in that take a proof: `@UseInterceptors(ProofTurnInterceptor)`. */
@Injectable()
export class ProofTurnInterceptor implements NestInterceptor {
  constructor(private readonly turns: ProofScheduler) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { access } = context.switchToHttp().getRequest<CheckedRequest<AccessScope>>();
    if (access === undefined || !('userId' in access)) throw new Error('only routes of somebody signed in have turns');
    return defer(() => this.turns.run(access.userId, () => lastValueFrom(next.handle())));
  }
}
