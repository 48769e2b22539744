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
 * Authorizes every change of a project inside the transaction of the change. It locks the organization's row, then the
 * project's row. All changes of memberships acquire these locks in the same order. Then it reads the caller's role
 * again, because the role may have changed during the wait for the locks, and compares it with what the route requires
 * (`scope.needed`).
 */
@Injectable()
export class ProjectAuthorization {
  constructor(
    private readonly organizations: OrganizationsReader,
    private readonly projects: ProjectsRepository,
  ) {}

  /**
   * Locks the organization and the project exclusively.
   * @throws ProjectNotFound, NotAProjectMember, InsufficientProjectRole or MissingCapability when the caller has lost
   * the project or the role since the guard's check
   */
  async lockAndAuthorize(
    scope: ProjectMemberScope,
    tx: Db,
  ): Promise<{ organization: Organization; project: Project; role: Role }> {
    const organization = await this.organizations.lock(scope, tx);
    const project = await this.projects.lock(scope, tx);
    return { organization, project, role: await this.roleOf(scope, tx) };
  }

  /**
   * Like {@link lockAndAuthorize}, but with a shared lock, for changes that may run in parallel because each changes
   * only its own rows. The project cannot change meanwhile. The caller's role is read again.
   */
  async shareAndAuthorize(scope: ProjectMemberScope, tx: Db): Promise<Project> {
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
