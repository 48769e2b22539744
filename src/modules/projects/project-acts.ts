import { Injectable } from '@nestjs/common';
import {
  InsufficientProjectRole,
  NotAProjectMember,
  type ProjectMemberScope,
  ProjectNotFound,
  type Role,
  roleAtLeast,
} from '../../platform/access/index.js';
import type { Db } from '../../platform/database/database.js';
import { type Organization, OrganizationsRepository } from '../organizations/index.js';
import type { Project } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';

/**
 * How every act on a project begins: the organization's row is locked, then the project's, in the order in which
 * everything that touches memberships locks them; then the caller's role is read again, since what the guard read
 * may have changed while this waited for another act.
 */
@Injectable()
export class ProjectActs {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly projects: ProjectsRepository,
  ) {}

  /** @throws ProjectNotFound, NotAProjectMember or InsufficientProjectRole when the caller has lost the project meanwhile */
  async begin(
    scope: ProjectMemberScope,
    needed: Role,
    tx: Db,
  ): Promise<{ organization: Organization; project: Project; role: Role }> {
    const organization = await this.organizations.lock(scope, tx);
    const project = await this.projects.lock(scope, tx);
    const membership = await this.projects.membershipOf(scope.userId, scope.projectId, tx);
    if (membership === null) throw new ProjectNotFound();
    if (membership.role === null) throw new NotAProjectMember();
    if (!roleAtLeast(membership.role, needed)) throw new InsufficientProjectRole();
    return { organization, project, role: membership.role };
  }
}
