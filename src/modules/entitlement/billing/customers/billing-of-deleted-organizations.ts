import { Injectable } from '@nestjs/common';
import type { Db } from '../../../../platform/database/database.js';
import { type EndingOrganization, OnOrganizationDeleted } from '../../../tenancy/organizations/index.js';
import { isRunning } from '../subscriptions/subscription-rules.js';
import { SubscriptionsRepository } from '../subscriptions/subscriptions.repository.js';
import { PaymentEventsRepository } from '../webhook/payment-events.repository.js';
import { CustomerRemovalsRepository } from './customer-removals.repository.js';

/** What runs at the provider has to be ended there first. The customer of a deleted organization is removed there. */
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
