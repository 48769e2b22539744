import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { RemovalStep } from '../../../tenancy/projects/index.js';
import { StorageTotalsRepository } from '../accounting/storage-totals.repository.js';
import { BlobsRepository } from '../blobs/blobs.repository.js';
import { LAST_WRITERS_SECONDS, UploadAbortionService } from '../uploads/upload-abortion.service.js';
import { ObjectsRepository } from '../objects/objects.repository.js';

/** Removes the objects and uploads of deleted projects: gives back their bytes and marks their blobs for removal. */
@Injectable()
export class ObjectsOfDeletedProjects {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectsRepository,
    private readonly blobs: BlobsRepository,
    private readonly totals: StorageTotalsRepository,
    private readonly uploads: UploadAbortionService,
  ) {}

  /**
   * Stops counting the project against the quota. Its bytes are removed later. Blobs are locked before totals, as
   * everywhere.
   */
  async projectDeleted(projectId: ProjectId, tx: Db): Promise<void> {
    await this.blobs.abandonOf(projectId, LAST_WRITERS_SECONDS, tx);
    await this.totals.giveBackAll(projectId, tx);
  }

  async removeOf(projectId: ProjectId, limit: number): Promise<RemovalStep> {
    const objects = await this.database.transaction(async (tx) => {
      const removed = await this.objects.removeSome({ projectId }, limit, tx);
      for (const object of removed) await this.blobs.doom(object, object.blobId, tx);
      await this.totals.giveBackAll(projectId, tx);
      return removed.length;
    });
    const uploads = await this.uploads.endOf({ projectId }, limit);
    const removed = objects + uploads;
    // Rows that another transaction has locked are skipped and remain for a later step.
    return { removed, done: removed === 0 && !(await this.objects.isKept({ projectId })) };
  }
}
