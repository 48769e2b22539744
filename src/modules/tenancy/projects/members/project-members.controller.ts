import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Scope } from '../../../../platform/http/inputs.js';
import { AddMemberRequest, ChangeMemberRequest, ProjectMemberResponse } from './project-members.dto.js';
import {
  AlreadyProjectMember,
  ProjectMemberNotFound,
  RoleFollowsOrganization,
  UserNotInOrganization,
} from './project-members.errors.js';
import { ProjectMembersService } from './project-members.service.js';

@ApiTags('projects')
@Controller('v1/projects/:project_id/members')
export class ProjectMembersController {
  constructor(private readonly members: ProjectMembersService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listProjectMembers',
    summary: 'Project members',
    description: 'Newest first; with those who have their role by the organization.',
    answer: [ProjectMemberResponse],
  })
  list(@Scope() scope: ProjectMemberScope, @IdParam('project_id') _id: string): Promise<ProjectMemberResponse[]> {
    return this.members.list(scope);
  }

  @Post()
  @Requires({ project: 'admin' })
  @Documented({
    operationId: 'createProjectMember',
    summary: 'Add a member (201)',
    description: 'The role follows the next change of the role in the organization.',
    status: 201,
    answer: ProjectMemberResponse,
    errors: [UserNotInOrganization, AlreadyProjectMember],
  })
  add(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @Body() body: AddMemberRequest,
  ): Promise<ProjectMemberResponse> {
    return this.members.add(scope, body);
  }

  @Get('me')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getCurrentProjectMember',
    summary: "The user's own membership",
    description: 'The role is the one that holds here, by the organization or by the project.',
    answer: ProjectMemberResponse,
  })
  own(@Scope() scope: ProjectMemberScope, @IdParam('project_id') _id: string): Promise<ProjectMemberResponse> {
    return this.members.own(scope);
  }

  @Patch(':user_id')
  @Requires({ project: 'admin' })
  @Documented({
    operationId: 'updateProjectMember',
    summary: 'Change the role',
    description: 'Owners and admins of the organization keep that role in every project.',
    answer: ProjectMemberResponse,
    errors: [ProjectMemberNotFound, RoleFollowsOrganization],
  })
  changeRole(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @IdParam('user_id') userId: string,
    @Body() body: ChangeMemberRequest,
  ): Promise<ProjectMemberResponse> {
    return this.members.changeRole(scope, userId, body.role);
  }

  @Delete(':user_id')
  @Requires({ project: 'admin' })
  @Documented({
    operationId: 'deleteProjectMember',
    summary: 'Remove (204)',
    description: 'The membership in the organization stays.',
    status: 204,
    errors: [ProjectMemberNotFound, RoleFollowsOrganization],
  })
  remove(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @IdParam('user_id') userId: string,
  ): Promise<void> {
    return this.members.remove(scope, userId);
  }
}
