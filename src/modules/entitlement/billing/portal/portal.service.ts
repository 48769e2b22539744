import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import { OrganizationAuthorization } from '../../../tenancy/organizations/index.js';
import { BillingSettings } from '../billing-settings.js';
import { CustomersService } from '../customers/customers.service.js';
import { PaymentProvider } from '../provider/payment-provider.js';
import type { PortalResponse } from './portal.dto.js';

@Injectable()
export class PortalService {
  constructor(
    private readonly database: Database,
    private readonly authorization: OrganizationAuthorization,
    private readonly settings: BillingSettings,
    private readonly customers: CustomersService,
    private readonly provider: PaymentProvider,
  ) {}

  /**
   * Opens the portal. An organization without a customer gets one.
   * @param requested the return URL; null means the configured one
   */
  async open(scope: OrganizationScope, requested: string | null): Promise<PortalResponse> {
    this.settings.requireBilling();
    const returnUrl = requested ?? this.settings.url('PAYMENT_PORTAL_RETURN_URL');
    const organization = await this.database.transaction((tx) => this.authorization.lockAndAuthorize(scope, tx));
    const within = this.provider.begin();
    const customerId = await this.customers.ofOrganization(organization, within);
    return { url: await this.provider.createPortalSession(customerId, returnUrl, within) };
  }
}
