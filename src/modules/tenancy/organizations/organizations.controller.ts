import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type OrganizationScope, Requires, type UserScope } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Body, IdParam, Scope } from '../../../platform/http/inputs.js';
import { CreateOrganizationRequest, OrganizationResponse } from './organizations.dto.js';
import { OrganizationPlanLimit, SlugInUse } from './organizations.errors.js';
import { OrganizationsService } from './organizations.service.js';

@ApiTags('organizations')
@Controller('v1/organizations')
export class OrganizationsController {
  constructor(private readonly organizations: OrganizationsService) {}

  @Get()
  @Requires()
  @Documented({
    operationId: 'listOrganizations',
    summary: 'Organizations of the user',
    description: 'Those that the caller is a member of.',
    answer: [OrganizationResponse],
  })
  list(@Scope() scope: UserScope): Promise<OrganizationResponse[]> {
    return this.organizations.list(scope);
  }

  @Post()
  @Requires()
  @Documented({
    operationId: 'createOrganization',
    summary: 'Create; the creator becomes owner',
    description: 'The highest plan among the organizations a user owns limits how many they may own.',
    status: 201,
    answer: OrganizationResponse,
    errors: [SlugInUse, OrganizationPlanLimit],
  })
  create(@Scope() scope: UserScope, @Body() body: CreateOrganizationRequest): Promise<OrganizationResponse> {
    return this.organizations.create(scope, body);
  }

  @Get(':organization_id')
  @Requires({ organization: 'viewer' })
  @Documented({
    operationId: 'getOrganization',
    summary: 'One organization',
    description: 'For its members. Plan and payment stand in `GET /v1/billing/status`.',
    answer: OrganizationResponse,
  })
  get(@Scope() scope: OrganizationScope, @IdParam('organization_id') _id: string): Promise<OrganizationResponse> {
    return this.organizations.get(scope);
  }
}
