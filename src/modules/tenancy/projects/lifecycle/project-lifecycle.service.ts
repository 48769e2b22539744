import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { ProjectMemberScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { Database } from '../../../../platform/database/database.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { projectAct } from '../project-act.js';
import { ProjectAuthorization } from '../project.authorization.js';
import { ProjectChangesNotifier } from '../project-changes.notifier.js';
import { type ProjectStateResponse, projectStateResponse } from '../projects.dto.js';
import { ProjectNotArchived } from '../projects.errors.js';
import { belongingsOfProjects } from './project-belongings.js';
import { ProjectsRepository } from '../projects.repository.js';

/**
 * Archives, restores and deletes projects. Each operation locks the project's row, so that parallel operations run one
 * after another.
 */
@Injectable()
export class ProjectLifecycleService {
  constructor(
    private readonly database: Database,
    private readonly authorization: ProjectAuthorization,
    private readonly projects: ProjectsRepository,
    private readonly changes: ProjectChangesNotifier,
    private readonly audit: AuditWriter,
    private readonly clock: Clock,
    private readonly discovery: DiscoveryService,
  ) {}

  /** Archives the project. Does nothing when the project is already archived. */
  archive(scope: ProjectMemberScope): Promise<ProjectStateResponse> {
    return this.setArchived(scope, this.clock.now(), 'project.archived');
  }

  /** Restores the project. Does nothing when the project is not archived. */
  restore(scope: ProjectMemberScope): Promise<ProjectStateResponse> {
    return this.setArchived(scope, null, 'project.restored');
  }

  /** Deletes the project at the commit. {@link ProjectRemovalService} removes its rows later. */
  async delete(scope: ProjectMemberScope): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { archivedAt, name, slug } = (await this.authorization.lockAndAuthorize(scope, tx)).project;
      if (archivedAt === null) throw new ProjectNotArchived();
      await this.audit.record(projectAct(scope, 'project.deleted', { name, slug }), tx);
      await this.projects.markDeleted(scope, tx);
      for (const kept of belongingsOfProjects(this.discovery)) await kept.projectDeleted(scope.projectId, tx);
      await this.changes.announce(scope.projectId, tx);
    });
    this.changes.apply(scope.projectId);
  }

  private async setArchived(
    scope: ProjectMemberScope,
    archivedAt: Date | null,
    action: string,
  ): Promise<ProjectStateResponse> {
    const answer = await this.database.transaction(async (tx) => {
      const { project } = await this.authorization.lockAndAuthorize(scope, tx);
      if ((project.archivedAt === null) === (archivedAt === null)) return projectStateResponse(project);
      await this.projects.update(scope, { archivedAt }, tx);
      await this.audit.record(projectAct(scope, action, {}), tx);
      await this.changes.announce(scope.projectId, tx);
      return projectStateResponse({ ...project, archivedAt });
    });
    this.changes.apply(scope.projectId);
    return answer;
  }
}
