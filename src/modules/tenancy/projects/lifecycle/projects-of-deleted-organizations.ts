import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { UserId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { type EndingOrganization, OnOrganizationDeleted } from '../../organizations/index.js';
import { projectAct } from '../project-act.js';
import { ProjectChangesNotifier } from '../project-changes.notifier.js';
import { ProjectsRepository } from '../projects.repository.js';
import { belongingsOfProjects } from './project-belongings.js';

/** Deletes the projects of a deleted organization, whether or not they are archived. */
@Injectable()
export class ProjectsOfDeletedOrganizations extends OnOrganizationDeleted {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly changes: ProjectChangesNotifier,
    private readonly audit: AuditWriter,
    private readonly discovery: DiscoveryService,
  ) {
    super();
  }

  /**
   * Locks the owner's projects before the owner's row, in the order in which operations on projects acquire these
   * locks.
   */
  override lockFirst(ownerId: UserId, tx: Db): Promise<void> {
    return this.projects.lockAllOfOwner(ownerId, tx);
  }

  async organizationDeleted(organization: EndingOrganization, tx: Db): Promise<void> {
    for (const { id: projectId, name, slug } of await this.projects.lockAllOf(organization, tx)) {
      const scope = { ...organization, projectId };
      const deleted = {
        ...projectAct(scope, 'project.deleted', { name, slug }),
        actorUserId: organization.actorUserId,
      };
      await this.audit.record(deleted, tx);
      await this.projects.markDeleted(scope, tx);
      for (const kept of belongingsOfProjects(this.discovery)) await kept.projectDeleted(projectId, tx);
      await this.changes.announce(projectId, tx);
      this.database.afterCommit(tx, () => this.changes.apply(projectId));
    }
    await this.projects.forgetOwners(organization, tx);
  }
}
