import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type OrganizationScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, Scope } from '../../../../platform/http/inputs.js';
import { PaymentNotConfigured, PaymentProviderFailed } from '../billing.errors.js';
import { PortalRequest, PortalResponse } from './portal.dto.js';
import { PortalService } from './portal.service.js';

@ApiTags('billing')
@Controller('v1/billing/portal')
export class PortalController {
  constructor(private readonly portal: PortalService) {}

  @Post()
  @Requires({ organization: 'admin' })
  @Documented({
    operationId: 'createPortalSession',
    summary: 'Self-service portal',
    description:
      'Where the payment provider lets an organization change and cancel its subscription, its payment method and its invoices’ address. Changes come back through the provider’s events.',
    answer: PortalResponse,
    errors: [PaymentNotConfigured, PaymentProviderFailed],
  })
  open(@Scope() scope: OrganizationScope, @Body() body: PortalRequest): Promise<PortalResponse> {
    return this.portal.open(scope, body.return_url ?? null);
  }
}
