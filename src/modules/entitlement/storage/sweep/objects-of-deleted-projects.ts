import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import type { RemovalStep } from '../../../tenancy/projects/index.js';
import { UploadAbortionService } from '../uploads/upload-abortion.service.js';
import { ObjectRemovalService } from '../objects/object-removal.service.js';
import { ObjectsRepository } from '../objects/objects.repository.js';

/** Objects and uploads of projects that are deleted: their contents are given back, and the store is to forget them. */
@Injectable()
export class ObjectsOfDeletedProjects {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectsRepository,
    private readonly removal: ObjectRemovalService,
    private readonly uploads: UploadAbortionService,
  ) {}

  async removeOf(projectId: ProjectId, limit: number): Promise<RemovalStep> {
    const objects = await this.database.transaction(async (tx) => {
      const removed = await this.objects.removeSome({ projectId }, limit, tx);
      for (const object of removed) await this.removal.release(object, object, tx);
      return removed.length;
    });
    const uploads = await this.uploads.endOf({ projectId }, limit);
    const removed = objects + uploads;
    // What somebody still holds is skipped.
    return { removed, done: removed === 0 && !(await this.objects.isKept({ projectId })) };
  }
}
