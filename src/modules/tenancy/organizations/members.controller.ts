import { Controller, Delete, Get, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type OrganizationScope, OwnerRoleRequired, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Body, IdParam, Scope } from '../../../platform/http/inputs.js';
import { MessageResponse } from '../../../platform/http/message.dto.js';
import { ChangeRoleRequest, MemberResponse } from './members.dto.js';
import { MembersService } from './members.service.js';
import { MemberNotFound, OwnerRoleIsFixed, OwnerStays } from './organizations.errors.js';

@ApiTags('organizations')
@Controller('v1/organizations/:organization_id/members')
export class OrganizationMembersController {
  constructor(private readonly members: MembersService) {}

  @Get()
  @Requires({ organization: 'admin' })
  @Documented({
    operationId: 'listOrganizationMembers',
    summary: 'Member records (owner authority)',
    description: '`can_change_role` and `can_revoke` speak for the caller.',
    answer: [MemberResponse],
  })
  list(@Scope() scope: OrganizationScope, @IdParam('organization_id') _id: string): Promise<MemberResponse[]> {
    return this.members.list(scope);
  }

  @Patch(':user_id')
  @Requires({ organization: 'admin' })
  @Documented({
    operationId: 'updateOrganizationMember',
    summary: "Change a member's role",
    description:
      'The member gets the same role in every project of the organization. The owner alone makes and changes admins; the owner’s own role stays.',
    answer: MemberResponse,
    errors: [MemberNotFound, OwnerRoleRequired, OwnerRoleIsFixed],
  })
  changeRole(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @IdParam('user_id') userId: string,
    @Body() body: ChangeRoleRequest,
  ): Promise<MemberResponse> {
    return this.members.changeRole(scope, userId, body.role);
  }

  @Delete(':user_id')
  @Requires({ organization: 'admin', orSelf: 'user_id' })
  @Documented({
    operationId: 'deleteOrganizationMember',
    summary: 'Remove a member',
    description:
      'Access to the organization and its projects ends at once. The owner alone removes admins; everybody but the owner may remove themselves, which is leaving.',
    answer: MessageResponse,
    errors: [MemberNotFound, OwnerRoleRequired, OwnerStays],
  })
  remove(
    @Scope() scope: OrganizationScope,
    @IdParam('organization_id') _id: string,
    @IdParam('user_id') userId: string,
  ): Promise<MessageResponse> {
    return this.members.remove(scope, userId);
  }
}
