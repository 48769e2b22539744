import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { ServiceOverloaded } from '../../../../platform/http/domain-error.js';
import { BlobsRepository } from '../blobs/blobs.repository.js';
import { ObjectRemovalService } from '../objects/object-removal.service.js';
import { UploadCompleted, UploadNotFound } from '../storage.errors.js';
import { type SeenUpload, UploadsRepository } from './uploads.repository.js';

/** Requests that still write parts notice within this time that they have lost the right to write. */
export const LAST_WRITERS_SECONDS = 60;
const LOOK_AGAIN_MS = 100;
const WAIT_TIMEOUT_MS = 10_000;

/** Ends uploads that are not to be completed. */
@Injectable()
export class UploadAbortionService {
  constructor(
    private readonly database: Database,
    private readonly uploads: UploadsRepository,
    private readonly blobs: BlobsRepository,
    private readonly removal: ObjectRemovalService,
  ) {}

  /** Aborts an upload. Waits while another request is completing it. @throws UploadNotFound, UploadCompleted */
  async abort(scope: ProjectMemberScope, id: string): Promise<void> {
    const giveUpAt = performance.now() + WAIT_TIMEOUT_MS;
    while (!(await this.database.transaction((tx) => this.tryAbort(scope, id, tx)))) {
      if (performance.now() >= giveUpAt) throw new ServiceOverloaded();
      await pause(LOOK_AGAIN_MS);
    }
  }

  /** Ends some uploads that have expired. @returns how many */
  expire(limit: number): Promise<number> {
    return this.endAll((tx) => this.uploads.expired(limit, tx));
  }

  /** Ends some uploads of a deleted project. @returns how many */
  endOf(scope: Pick<ProjectScope, 'projectId'>, limit: number): Promise<number> {
    return this.endAll((tx) => this.uploads.some(scope, limit, tx));
  }

  private endAll(some: (tx: Db) => Promise<SeenUpload[]>): Promise<number> {
    return this.database.transaction(async (tx) => {
      const uploads = await some(tx);
      await this.end(uploads, tx);
      return uploads.length;
    });
  }

  private async tryAbort(scope: ProjectMemberScope, id: string, tx: Db): Promise<boolean> {
    await this.removal.begin(scope, tx);
    const upload = await this.uploads.lock(scope, id, true, tx);
    if (upload === null || upload.isExpired) throw new UploadNotFound();
    if (upload.status === 'completed') throw new UploadCompleted();
    if (upload.isClaimed) return false;
    await this.end([upload], tx);
    return true;
  }

  /**
   * Removes uploads and abandons their blobs. The blob of a completed upload belongs to an object and is no longer
   * being written, so it is not abandoned.
   */
  private async end(uploads: readonly SeenUpload[], tx: Db): Promise<void> {
    await this.uploads.remove(uploads, tx);
    const blobIds = uploads.map(({ blobId }) => blobId);
    await this.blobs.abandonAll(blobIds, LAST_WRITERS_SECONDS, tx);
  }
}
