import { Injectable } from '@nestjs/common';
import {
  assertFulfilled,
  NotAProjectMember,
  type ProjectMemberScope,
  ProjectNotFound,
  type Role,
} from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { type Organization, OrganizationsReader } from '../organizations/index.js';
import type { Project } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';

/**
 * How every act on a project begins: the organization's row is locked, then the project's, in the order in which
 * everything that touches memberships locks them; then the caller's role is read again, since what the guard read
 * may have changed while this waited for another act, and held against what the route asks for, as the scope carries it.
 */
@Injectable()
export class ProjectActsService {
  constructor(
    private readonly organizations: OrganizationsReader,
    private readonly projects: ProjectsRepository,
  ) {}

  /**
   * @throws ProjectNotFound, NotAProjectMember, InsufficientProjectRole or MissingCapability when the caller has lost the
   *   project or the role meanwhile
   */
  async begin(
    scope: ProjectMemberScope,
    tx: Db,
  ): Promise<{ organization: Organization; project: Project; role: Role }> {
    const organization = await this.organizations.lock(scope, tx);
    const project = await this.projects.lock(scope, tx);
    return { organization, project, role: await this.roleOf(scope, tx) };
  }

  /**
   * As {@link begin}, for acts that many may be at together, on rows of their own: the project stays as it is meanwhile, and
   * the caller's role is read again.
   */
  async join(scope: ProjectMemberScope, tx: Db): Promise<Project> {
    const project = await this.projects.share(scope, tx);
    await this.roleOf(scope, tx);
    return project;
  }

  private async roleOf(scope: ProjectMemberScope, tx: Db): Promise<Role> {
    const membership = await this.projects.membershipOf(scope.userId, scope.projectId, tx);
    if (membership === null) throw new ProjectNotFound();
    if (membership.role === null) throw new NotAProjectMember();
    assertFulfilled(scope.needed, membership.role);
    return membership.role;
  }
}
