import { Injectable, Logger } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import { Upkeep } from '../../../../platform/upkeep/upkeep.js';
import { ProjectBelongings } from './project-belongings.js';

/**
 * Until then some instance may still write for a project it remembers as living: caches last seconds, a statement
 * 30 seconds at most.
 */
const GRACE_SECONDS = 60;
const BATCH_ROWS = 2_000;
/** Bounds a round; what is left waits for the next one, a minute later. */
const BATCHES_A_ROUND = 200;
const PROJECTS_A_ROUND = 100;

/**
 * Removes what belonged to deleted projects, batch by batch, each in a transaction of its own; the project's row
 * goes last. A process that dies in between leaves a deleted project that the next round goes on with.
 */
@Injectable()
export class ProjectRemoval extends Upkeep {
  private readonly logger = new Logger('projects');

  constructor(
    private readonly database: Database,
    private readonly discovery: DiscoveryService,
  ) {
    super();
  }

  async upkeep(): Promise<number> {
    let batches = BATCHES_A_ROUND;
    let removed = 0;
    for (const projectId of await this.due()) {
      let isEmpty = true;
      for (const belongings of this.belongings()) {
        for (;;) {
          if (batches === 0) return removed;
          batches -= 1;
          const step = await belongings.removeOf(projectId, BATCH_ROWS);
          removed += step.removed;
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

  /** Those longest without a look first, marked as looked at. */
  private async due(): Promise<ProjectId[]> {
    const rows = await this.database.rows<{ id: ProjectId }>(
      `UPDATE projects SET removal_checked_at = now()
       WHERE id IN (
         SELECT id FROM projects
         WHERE deleted_at IS NOT NULL AND deleted_at <= now() - $1 * interval '1 second'
         ORDER BY removal_checked_at NULLS FIRST, deleted_at LIMIT $2)
       RETURNING id`,
      [GRACE_SECONDS, PROJECTS_A_ROUND],
    );
    return rows.map((row) => row.id);
  }

  private belongings(): ProjectBelongings[] {
    return this.discovery
      .getProviders()
      .map((provider) => provider.instance as unknown)
      .filter((instance) => instance instanceof ProjectBelongings);
  }

  /** Small tables with a foreign key to the project go with its row. */
  private async removeRow(projectId: ProjectId): Promise<number> {
    const gone = await this.database.execute('DELETE FROM projects WHERE id = $1 AND deleted_at IS NOT NULL', [
      projectId,
    ]);
    if (gone > 0) this.logger.log(`removed what belonged to the deleted project ${projectId}`);
    return gone;
  }
}
