import { Controller, Get, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type OrganizationScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Scope } from '../../../../platform/http/inputs.js';
import { SsoRolesRequest, SsoRolesResponse } from './roles.dto.js';
import { SsoRoleSettingsService } from './roles.service.js';

/** The roles of people who join an organization through its identity providers. */
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
      'Replaces all of them. Memberships that SCIM made follow at once, unless somebody has changed their role by hand. Those that a sign-in made stay as they are. Nobody becomes the owner.',
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
