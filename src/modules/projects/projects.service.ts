import { Injectable } from '@nestjs/common';
import type { OrganizationScope, ProjectScope, UserScope } from '../../platform/access/index.js';
import { Database } from '../../platform/database/database.js';
import { newId } from '../../platform/ids/index.js';
import { OrganizationsRepository, PLAN_LIMITS } from '../organizations/index.js';
import { type CreateProjectRequest, projectResponse, type ProjectResponse } from './projects.dto.js';
import { ProjectPlanLimit } from './projects.errors.js';
import { ProjectsRepository } from './projects.repository.js';

@Injectable()
export class ProjectsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly organizations: OrganizationsRepository,
  ) {}

  /** The organization's row is locked while its plan's limit is counted, so parallel creates queue up. */
  async create(scope: OrganizationScope, { name, slug }: CreateProjectRequest): Promise<ProjectResponse> {
    const id = newId();
    return this.database.transaction(async (tx) => {
      const { plan } = await this.organizations.lock(scope, tx);
      const limit = PLAN_LIMITS[plan].projects;
      if (limit !== null && (await this.projects.countOf(scope, tx)) >= limit) throw new ProjectPlanLimit();
      await this.projects.insert({ id, organizationId: scope.organizationId, name, slug, ownerId: scope.userId }, tx);
      return projectResponse(await this.projects.get({ projectId: id }, tx));
    });
  }

  async list(scope: UserScope): Promise<ProjectResponse[]> {
    return (await this.projects.listOf(scope)).map(projectResponse);
  }

  async get(scope: ProjectScope): Promise<ProjectResponse> {
    return projectResponse(await this.projects.get(scope));
  }
}
