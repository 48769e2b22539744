import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ApiKeyScope, MemberOrApiKey, type OrganizationScope } from '../../../access/index.js';
import { ProjectHasNoOrganization } from '../../api-keys/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Query, Scope } from '../../../../platform/http/inputs.js';
import { StatusQuery, StatusResponse } from './status.dto.js';
import { OrganizationIdRequired } from './status.errors.js';
import { StatusService } from './status.service.js';

@ApiTags('billing')
@Controller('v1/billing/status')
export class BillingStatusController {
  constructor(private readonly status: StatusService) {}

  @Get()
  @MemberOrApiKey({
    organization: 'viewer',
    scopes: ['events:read', 'events:write'],
    missing: OrganizationIdRequired,
  })
  @Documented({
    operationId: 'getBillingStatus',
    summary: 'Billing status record',
    description:
      'For members of the organization, by access token and `organization_id`, or for an API key of one of its projects, which needs no `organization_id` and is never led to another organization by one; browser-safe keys are refused. With both credentials the key counts. Reading reserves nothing: an event sent afterwards may still be refused.',
    answer: StatusResponse,
    errors: [OrganizationIdRequired, ProjectHasNoOrganization],
  })
  get(@Scope() scope: OrganizationScope | ApiKeyScope, @Query() _query: StatusQuery): Promise<StatusResponse> {
    return this.status.get(scope);
  }
}
