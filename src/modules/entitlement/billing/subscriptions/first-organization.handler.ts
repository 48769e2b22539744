import { Injectable } from '@nestjs/common';
import type { Db } from '../../../../platform/database/database.js';
import { type NewOrganization, OnOrganizationCreated } from '../../../tenancy/organizations/index.js';
import { OrganizationBillingRepository } from './organization-billing.repository.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** Applies the plan that a person has paid for in advance to their first organization. */
@Injectable()
export class FirstOrganizationHandler extends OnOrganizationCreated {
  constructor(
    private readonly organizations: OrganizationBillingRepository,
    private readonly subscriptions: SubscriptionsService,
  ) {
    super();
  }

  async organizationCreated({ organizationId, owner }: NewOrganization, tx: Db): Promise<void> {
    if (owner.pendingPlan === null && owner.pendingCustomerId === null && owner.pendingSubscriptionId === null) return;
    const organization = await this.organizations.lock({ organizationId }, tx);
    if (organization !== null) await this.subscriptions.claim(organization, owner, tx);
  }
}
