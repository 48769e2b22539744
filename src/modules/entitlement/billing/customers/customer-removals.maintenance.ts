import { Injectable } from '@nestjs/common';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { PaymentNotConfigured, PaymentProviderFailed } from '../billing.errors.js';
import { PaymentProvider } from '../provider/payment-provider.js';
import { CustomerRemovalsRepository } from './customer-removals.repository.js';

const MOST_CUSTOMERS = 20;

/**
 * Removes the customers of deleted accounts and organizations at the provider, which ends their subscriptions and open
 * checkouts there. If the process dies after a removal, the removal is repeated, which does no harm.
 */
@Injectable()
export class CustomerRemovalsMaintenance extends MaintenanceTask {
  constructor(
    private readonly removals: CustomerRemovalsRepository,
    private readonly provider: PaymentProvider,
  ) {
    super();
  }

  /**
   * Removes customers that are due. The first failure of the provider ends the round; its reason has been logged
   * already.
   * @returns the number of removed customers
   */
  async maintain(): Promise<number> {
    const within = this.provider.begin();
    let removed = 0;
    while (removed < MOST_CUSTOMERS) {
      const customerId = await this.removals.claim();
      if (customerId === null) break;
      try {
        await this.provider.removeCustomer(customerId, within);
      } catch (error) {
        if (error instanceof PaymentProviderFailed || error instanceof PaymentNotConfigured) break;
        throw error;
      }
      await this.removals.finish(customerId);
      removed += 1;
    }
    return removed;
  }
}
