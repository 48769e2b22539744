import { Injectable } from '@nestjs/common';
import {
  MembershipReader,
  type OrganizationMembership,
  type ProjectId,
  type ProjectMembership,
  type UserId,
} from '../../access/index.js';
import { OrganizationsReader } from '../organizations/index.js';
import type { Db } from '../../../platform/database/database.js';
import { ProjectsRepository } from './projects.repository.js';

/** Reads memberships for the access guards, for each request that names an organization or a project. */
@Injectable()
export class Memberships extends MembershipReader {
  constructor(
    private readonly organizations: OrganizationsReader,
    private readonly projects: ProjectsRepository,
  ) {
    super();
  }

  ofOrganization(userId: UserId, organizationId: string): Promise<OrganizationMembership | null> {
    return this.organizations.membershipOf(userId, organizationId);
  }

  ofProject(userId: string, projectId: string, tx?: Db): Promise<ProjectMembership | null> {
    return this.projects.membershipOf(userId, projectId, tx);
  }

  selectedProject(userId: UserId): Promise<ProjectId | null> {
    return this.projects.selectedBy(userId);
  }
}
