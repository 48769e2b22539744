import { Injectable } from '@nestjs/common';
import { NotAProjectMember, type ProjectMemberScope, type ProjectScope, type UserId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { MembershipNotifier } from '../../organizations/index.js';
import { projectAct } from '../project-act.js';
import { ProjectAuthorization } from '../project.authorization.js';
import { type GivenRole, refusalOf } from './member-rules.js';
import { type AddMemberRequest, memberResponse, type ProjectMemberResponse } from './project-members.dto.js';
import { AlreadyProjectMember, ProjectMemberNotFound, UserNotInOrganization } from './project-members.errors.js';
import { isInProject, type Member, ProjectMembersRepository } from './project-members.repository.js';

/** Lists, adds, changes and removes the members of a project. */
@Injectable()
export class ProjectMembersService {
  constructor(
    private readonly database: Database,
    private readonly members: ProjectMembersRepository,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
    private readonly notifications: MembershipNotifier,
  ) {}

  async list(scope: ProjectScope): Promise<ProjectMemberResponse[]> {
    return (await this.members.list(scope)).map(memberResponse);
  }

  async own(scope: ProjectMemberScope): Promise<ProjectMemberResponse> {
    const member = await this.members.find(scope, scope.userId);
    if (member === null || !isInProject(member)) throw new NotAProjectMember();
    return memberResponse(member);
  }

  async add(scope: ProjectMemberScope, { user_id, role }: AddMemberRequest): Promise<ProjectMemberResponse> {
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const candidate = await this.members.find(scope, user_id, tx);
      if (candidate === null) throw new UserNotInOrganization();
      if (candidate.role !== null) throw new AlreadyProjectMember();
      const { userId } = candidate;
      if (!(await this.members.insert(scope, userId, role, tx))) throw new AlreadyProjectMember();
      await this.record(scope, 'project.member_added', userId, { role }, tx);
      return this.answer(scope, userId, tx);
    });
  }

  /** Changes the role of a member. Does nothing when the member already has the role. */
  async changeRole(scope: ProjectMemberScope, id: string, role: GivenRole): Promise<ProjectMemberResponse> {
    return this.database.transaction(async (tx) => {
      const member = await this.changeable(scope, id, role, tx);
      const { userId } = member;
      if (member.role !== role) {
        await this.members.setRole(scope, userId, role, tx);
        await this.record(scope, 'project.member_role_changed', userId, { from: member.role, to: role }, tx);
      }
      return this.answer(scope, userId, tx);
    });
  }

  async remove(scope: ProjectMemberScope, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { userId, role } = await this.changeable(scope, id, null, tx);
      await this.members.remove(scope, userId, tx);
      await this.record(scope, 'project.member_removed', userId, { role }, tx);
    });
  }

  private async changeable(scope: ProjectMemberScope, id: string, newRole: GivenRole | null, tx: Db): Promise<Member> {
    const { role: callerRole } = await this.authorization.lockAndAuthorize(scope, tx);
    const member = await this.members.find(scope, id, tx);
    if (member === null) throw new ProjectMemberNotFound();
    const Refusal = refusalOf({
      callerRole,
      targetOrganizationRole: member.organizationRole,
      targetRole: member.role,
      newRole,
    });
    if (Refusal !== null) throw new Refusal();
    return member;
  }

  private async answer(scope: ProjectScope, userId: UserId, tx: Db): Promise<ProjectMemberResponse> {
    const member = await this.members.find(scope, userId, tx);
    if (member === null || !isInProject(member)) throw new ProjectMemberNotFound();
    return memberResponse(member);
  }

  /**
   * Writes the audit event and notifies objects that live longer than a request, such as open streams of the person.
   */
  private async record(
    scope: ProjectMemberScope,
    action: string,
    userId: UserId,
    detail: Readonly<Record<string, unknown>>,
    tx: Db,
  ): Promise<void> {
    await this.audit.record(projectAct(scope, action, detail, { type: 'project_member', id: userId }), tx);
    await this.notifications.publish({ userId, organizationId: scope.organizationId }, tx);
  }
}
