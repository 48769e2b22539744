import { Injectable, Logger } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { ProjectId } from '../../../access/index.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { belongingsOfProjects } from './project-belongings.js';
import { ProjectRemovalRepository } from './project-removal.repository.js';

/**
 * How long after the deletion of a project its rows are removed. Until then, an instance may still write rows for the
 * project, because its cache does not show the deletion. Caches are valid for seconds, and a statement runs for at most
 * 30 seconds.
 */
const GRACE_SECONDS = 60;
const BATCH_ROWS = 2_000;
/** Limits of one round. The next round, a minute later, continues. A batch that removes no rows is not counted. */
const BATCHES_A_ROUND = 200;
const PROJECTS_A_ROUND = 100;

/**
 * Removes the rows of deleted projects in batches, each in its own transaction. The project's row is removed last, and
 * the row of a deleted organization after the rows of its projects. If the process dies meanwhile, the next round
 * continues.
 */
@Injectable()
export class ProjectRemovalService extends MaintenanceTask {
  private readonly logger = new Logger('projects');

  constructor(
    private readonly projects: ProjectRemovalRepository,
    private readonly discovery: DiscoveryService,
  ) {
    super();
  }

  async maintain(): Promise<number> {
    let batches = BATCHES_A_ROUND;
    let removed = await this.projects.removeOrganizations(GRACE_SECONDS);
    const looked = new Set<ProjectId>();
    while (looked.size < PROJECTS_A_ROUND) {
      const projectId = await this.projects.next(GRACE_SECONDS);
      if (projectId === undefined || looked.has(projectId)) break;
      looked.add(projectId);
      let isEmpty = true;
      for (const belongings of belongingsOfProjects(this.discovery)) {
        for (;;) {
          if (batches === 0) return removed;
          const step = await belongings.removeOf(projectId, BATCH_ROWS);
          removed += step.removed;
          if (step.removed > 0) batches -= 1;
          if (step.done) break;
          if (step.removed > 0) continue;
          isEmpty = false;
          break;
        }
      }
      if (isEmpty) removed += await this.removeRow(projectId);
    }
    return removed;
  }

  private async removeRow(projectId: ProjectId): Promise<number> {
    const gone = await this.projects.removeRow(projectId);
    if (gone > 0) this.logger.log(`removed what belonged to the deleted project ${projectId}`);
    return gone;
  }
}
