import { Injectable } from '@nestjs/common';
import type { Db } from '../../../../platform/database/database.js';
import { type EndingOrganization, OnOrganizationDeleted } from '../../../tenancy/organizations/index.js';
import { isRunning } from '../subscriptions/subscription-rules.js';
import { SubscriptionsRepository } from '../subscriptions/subscriptions.repository.js';
import { PaymentEventsRepository } from '../webhook/payment-events.repository.js';
import { CustomerRemovalsRepository } from './customer-removals.repository.js';

/**
 * Refuses the deletion of an organization while it has a running subscription at the provider. After a deletion, the
 * organization's customers are removed at the provider.
 */
@Injectable()
export class BillingOfDeletedOrganizations extends OnOrganizationDeleted {
  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly removals: CustomerRemovalsRepository,
    private readonly events: PaymentEventsRepository,
  ) {
    super();
  }

  override async obstacle({ organizationId }: EndingOrganization, tx: Db): Promise<string | null> {
    const subscriptions = await this.subscriptions.listOf({ organizationId }, tx);
    return subscriptions.some(isRunning) ? 'running subscription' : null;
  }

  async organizationDeleted({ organizationId }: EndingOrganization, tx: Db): Promise<void> {
    await this.removals.addAllOfOrganization(organizationId, tx);
    await this.events.forgetAllOf(organizationId, tx);
  }
}
