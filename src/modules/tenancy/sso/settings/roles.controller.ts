import { Controller, Get, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type OrganizationScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Scope } from '../../../../platform/http/inputs.js';
import { SsoRolesRequest, SsoRolesResponse } from './roles.dto.js';
import { SsoRoleSettingsService } from './roles.service.js';

/** The roles of people whom identity providers bring into an organization. */
@ApiTags('sso')
@Controller('sso/organizations/:organization_id/roles')
export class SsoRolesController {
  constructor(private readonly roles: SsoRoleSettingsService) {}

  @Get()
  @Requires({ organization: 'admin' })
  @Documented({
    operationId: 'getSsoRoles',
    summary: 'Roles by group',
    description: 'Until they are set, everybody becomes a viewer.',
    answer: SsoRolesResponse,
  })
  get(@Scope() scope: OrganizationScope, @IdParam('organization_id') _id: string): Promise<SsoRolesResponse> {
    return this.roles.get(scope);
  }

  @Put()
  @Requires({ organization: 'owner' })
  @Documented({
    operationId: 'setSsoRoles',
    summary: 'Set the roles by group',
    description:
      'Replaces all of them. They apply to memberships that a sign-in or SCIM makes from then on. The role of a member whom SCIM made follows their groups, until somebody changes it by hand. A sign-in never changes the role of a member, and nobody becomes the owner.',
    answer: SsoRolesResponse,
  })
  set(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @Body() body: SsoRolesRequest,
  ): Promise<SsoRolesResponse> {
    return this.roles.set(scope, body);
  }
}
