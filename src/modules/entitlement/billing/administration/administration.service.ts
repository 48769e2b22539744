import { Injectable } from '@nestjs/common';
import { asOrganizationId, OrganizationNotFound, type UserId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { OrganizationChangesNotifier } from '../../../tenancy/organizations/index.js';
import {
  type BillingColumns,
  OrganizationBillingRepository,
} from '../subscriptions/organization-billing.repository.js';
import type { AdministrationRequest, AdministrationResponse } from './administration.dto.js';

type Administered = Pick<BillingColumns, 'plan' | 'billingStatus' | 'eventsPerMonthLimit'>;

@Injectable()
export class AdministrationService {
  constructor(
    private readonly database: Database,
    private readonly organizations: OrganizationBillingRepository,
    private readonly changes: OrganizationChangesNotifier,
    private readonly audit: AuditWriter,
  ) {}

  /**
   * Changes the billing of an organization. Records an audit event even when nothing changes, because an administrator
   * has confirmed the state.
   * @param actorUserId null when an operator of the service acts
   */
  change(actorUserId: UserId | null, id: string, request: AdministrationRequest): Promise<AdministrationResponse> {
    // The guard has checked that the organization exists. Administrators need not be members of the organization.
    const organizationId = asOrganizationId(id);
    return this.database.transaction(async (tx) => {
      const organization = await this.organizations.lock({ organizationId }, tx);
      if (organization === null) throw new OrganizationNotFound();
      const { billing_status: status, events_per_month_limit: limit } = request;
      const to: Administered = {
        plan: request.plan ?? organization.plan,
        billingStatus: status ?? organization.billingStatus,
        eventsPerMonthLimit: limit === undefined ? organization.eventsPerMonthLimit : limit,
      };
      // A status that is set here also replaces a hold that the status of a canceled subscription hides.
      const billingHold = status === undefined || status === null ? organization.billingHold : null;
      await this.organizations.update({ organizationId }, { ...to, billingHold }, tx);
      await this.audit.record(
        {
          actorUserId,
          organizationId,
          action: 'billing.admin_updated',
          targetType: 'organization',
          targetId: organizationId,
          detail: { from: answerOf(organization), to: answerOf(to) },
        },
        tx,
      );
      await this.changes.announce({ organizationId }, tx);
      return { organization_id: organizationId, ...answerOf(to) };
    });
  }
}

function answerOf({
  plan,
  billingStatus,
  eventsPerMonthLimit,
}: Administered): Omit<AdministrationResponse, 'organization_id'> {
  return { plan, billing_status: billingStatus, events_per_month_limit: eventsPerMonthLimit };
}
