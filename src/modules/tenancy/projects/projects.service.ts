import { Injectable } from '@nestjs/common';
import {
  newProjectId,
  type OrganizationScope,
  type ProjectMemberScope,
  type ProjectScope,
  type UserScope,
} from '../../access/index.js';
import { Database } from '../../../platform/database/database.js';
import { AuditWriter } from '../../identity/audit/index.js';
import { OrganizationAuthorization, PLAN_LIMITS } from '../organizations/index.js';
import {
  type CreateProjectRequest,
  projectResponse,
  type ProjectResponse,
  type RenameProjectRequest,
} from './projects.dto.js';
import { projectAct } from './project-act.js';
import { ProjectPlanLimit } from './projects.errors.js';
import { ProjectAuthorization } from './project.authorization.js';
import { ProjectsReader } from './projects.reader.js';
import { ProjectsRepository } from './projects.repository.js';

@Injectable()
export class ProjectsService {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly reader: ProjectsReader,
    private readonly authorization: ProjectAuthorization,
    private readonly organizationAuthorization: OrganizationAuthorization,
    private readonly audit: AuditWriter,
  ) {}

  /**
   * Creates a project. The organization's row is locked while its projects are counted against the plan's limit, so
   * that parallel requests run one after another.
   */
  async create(scope: OrganizationScope, { name, slug }: CreateProjectRequest): Promise<ProjectResponse> {
    const id = newProjectId();
    return this.database.transaction(async (tx) => {
      const { plan } = await this.organizationAuthorization.lockAndAuthorize(scope, tx);
      const limit = PLAN_LIMITS[plan].projects;
      if (limit !== null && (await this.projects.countOf(scope, tx)) >= limit) throw new ProjectPlanLimit();
      await this.projects.insert({ id, organizationId: scope.organizationId, name, slug, ownerId: scope.userId }, tx);
      await this.audit.record(
        {
          actorUserId: scope.userId,
          organizationId: scope.organizationId,
          projectId: id,
          action: 'project.created',
          targetType: 'project',
          targetId: id,
          detail: { name, slug },
        },
        tx,
      );
      return projectResponse(await this.reader.get({ projectId: id }, tx));
    });
  }

  async list(scope: UserScope): Promise<ProjectResponse[]> {
    return (await this.projects.listOf(scope)).map(projectResponse);
  }

  async get(scope: ProjectScope): Promise<ProjectResponse> {
    return projectResponse(await this.reader.get(scope));
  }

  /** Renames the project. Does nothing when name and slug stay the same. */
  async rename(scope: ProjectMemberScope, request: RenameProjectRequest): Promise<ProjectResponse> {
    return this.database.transaction(async (tx) => {
      const { project } = await this.authorization.lockAndAuthorize(scope, tx);
      const from = { name: project.name, slug: project.slug };
      const to = { name: request.name ?? from.name, slug: request.slug ?? from.slug };
      if (to.name === from.name && to.slug === from.slug) return projectResponse(project);
      await this.projects.update(scope, to, tx);
      await this.audit.record(projectAct(scope, 'project.renamed', { from, to }), tx);
      return projectResponse({ ...project, ...to });
    });
  }

  async select(scope: ProjectMemberScope): Promise<ProjectResponse> {
    return this.database.transaction(async (tx) => {
      await this.projects.select(scope, tx);
      return projectResponse(await this.reader.get(scope, tx));
    });
  }
}
