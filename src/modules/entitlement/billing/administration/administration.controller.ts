import { Controller, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires, type UserScope } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Scope } from '../../../../platform/http/inputs.js';
import { AdministrationRequest, AdministrationResponse } from './administration.dto.js';
import { AdministrationService } from './administration.service.js';

@ApiTags('billing')
@Controller('v1/billing/org')
export class BillingAdministrationController {
  constructor(private readonly administration: AdministrationService) {}

  @Patch(':organization_id')
  @Requires({ platform: 'admin' })
  @Documented({
    operationId: 'updateOrganizationBilling',
    summary: 'Platform administration',
    description:
      'For the people whose addresses the deployment lists, on any organization. A plan set here holds until the organization’s subscription gets another one; `blocked` and `suspended` hold whatever the payment provider reports.',
    answer: AdministrationResponse,
  })
  change(
    @Scope() scope: UserScope,
    @IdParam('organization_id') organizationId: string,
    @Body() body: AdministrationRequest,
  ): Promise<AdministrationResponse> {
    return this.administration.change(scope.userId, organizationId, body);
  }
}
