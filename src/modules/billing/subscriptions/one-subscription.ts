import { Injectable } from '@nestjs/common';
import { SubscriptionExists } from '../billing.errors.js';
import type { Deadline } from '../provider/deadline.js';
import { PaymentProvider } from '../provider/payment-provider.js';
import { isOver, isPassing } from './subscription-rules.js';

/** Keeps people from paying twice: who has a subscription that is paid for changes it instead of buying another. */
@Injectable()
export class OneSubscription {
  constructor(private readonly provider: PaymentProvider) {}

  /**
   * The provider has the last word, since what is stored may be late.
   * @throws SubscriptionExists
   */
  async require(stored: { id: string | null; status: string | null }, within: Deadline): Promise<void> {
    const { id, status } = stored;
    if (id === null || (status !== null && isOver(status))) return;
    const found = await this.provider.findSubscription(id, within);
    if (found !== null && isPassing(found.status)) throw new SubscriptionExists();
  }
}
