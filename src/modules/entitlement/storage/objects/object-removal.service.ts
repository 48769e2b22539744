import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { ProjectAuthorization } from '../../../tenancy/projects/index.js';
import { StorageTotalsRepository } from '../accounting/storage-totals.repository.js';
import { BlobsRepository } from '../blobs/blobs.repository.js';
import type { StoredObject } from './stored-object.entity.js';

/** Authorizes removals and releases the content of removed objects. */
@Injectable()
export class ObjectRemovalService {
  constructor(
    private readonly authorization: ProjectAuthorization,
    private readonly blobs: BlobsRepository,
    private readonly totals: StorageTotalsRepository,
  ) {}

  /** Authorizes a removal. Archived projects and blocked organizations may still remove objects. */
  async begin(scope: ProjectMemberScope, tx: Db): Promise<void> {
    await this.authorization.shareAndAuthorize(scope, tx);
  }

  /** Stops counting the object's content, and marks its blob for removal once running downloads have ended. */
  async release(scope: ProjectScope, { blobId, size }: StoredObject, tx: Db): Promise<void> {
    await this.blobs.doom(scope, blobId, tx);
    await this.totals.change(scope, { stored: -size, objects: -1 }, tx);
  }
}
