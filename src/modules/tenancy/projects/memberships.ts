import { Injectable } from '@nestjs/common';
import {
  MembershipReader,
  type OrganizationMembership,
  type ProjectId,
  type ProjectMembership,
  type UserId,
} from '../../access/index.js';
import { OrganizationsRepository } from '../organizations/index.js';
import { ProjectsRepository } from './projects.repository.js';

/** What the access guard asks before each request that names an organization or a project. */
@Injectable()
export class Memberships extends MembershipReader {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly projects: ProjectsRepository,
  ) {
    super();
  }

  ofOrganization(userId: UserId, organizationId: string): Promise<OrganizationMembership | null> {
    return this.organizations.membershipOf(userId, organizationId);
  }

  ofProject(userId: UserId, projectId: string): Promise<ProjectMembership | null> {
    return this.projects.membershipOf(userId, projectId);
  }

  selectedProject(userId: UserId): Promise<ProjectId | null> {
    return this.projects.selectedBy(userId);
  }
}
