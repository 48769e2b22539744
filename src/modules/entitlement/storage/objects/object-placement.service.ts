import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { ServiceOverloaded } from '../../../../platform/http/domain-error.js';
import { newId } from '../../../../platform/ids/index.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { projectAct } from '../../../tenancy/projects/index.js';
import type { StorageAllowance } from '../accounting/storage-allowance.reader.js';
import { StorageTotalsRepository } from '../accounting/storage-totals.repository.js';
import { BlobsRepository } from '../blobs/blobs.repository.js';
import { matches } from '../signed/conditions.js';
import { ObjectExists, PreconditionFailed } from '../storage.errors.js';
import { ContentAdmissionService } from './content-admission.service.js';
import type { Metadata } from './metadata.js';
import { type NewContent, ObjectsRepository } from './objects.repository.js';
import type { StoredObject } from './stored-object.entity.js';

/** The key and description of new content, and the conditions for storing it. */
export interface Target {
  readonly key: string;
  readonly contentType: string;
  readonly metadata: Metadata;
  readonly overwrite: boolean;
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** Stores content under its key: as a new object, or as new content of the object that has the key. */
@Injectable()
export class ObjectPlacementService {
  constructor(
    private readonly objects: ObjectsRepository,
    private readonly blobs: BlobsRepository,
    private readonly totals: StorageTotalsRepository,
    private readonly admission: ContentAdmissionService,
    private readonly audit: AuditWriter,
  ) {}

  /** @throws PreconditionFailed, ObjectExists */
  assertFree(existing: Pick<StoredObject, 'etag'> | null, target: Target): void {
    const { ifMatch, ifNoneMatch, overwrite } = target;
    if (ifMatch !== undefined && (existing === null || !matches(ifMatch, existing.etag)))
      throw new PreconditionFailed();
    if (existing === null) return;
    if (ifNoneMatch !== undefined && matches(ifNoneMatch, existing.etag, true)) throw new PreconditionFailed();
    if (!overwrite && ifMatch === undefined) throw new ObjectExists();
  }

  /** Completes an upload. The caller has checked the admission again in the same transaction. */
  async place(
    scope: ProjectMemberScope,
    target: Target,
    content: NewContent,
    allowance: StorageAllowance,
    tx: Db,
  ): Promise<StoredObject> {
    const { key, contentType, metadata } = target;
    const reserved = await this.blobs.settle(scope, content.blobId, content.size, tx);
    if (reserved === null) throw new ServiceOverloaded();
    for (;;) {
      const existing = await this.objects.lockByKey(scope, key, tx);
      this.assertFree(existing, target);
      const object =
        existing === null
          ? await this.insert(scope, { ...content, key, contentType, metadata }, tx)
          : await this.objects.replace(scope, existing.id, { ...content, contentType, metadata }, tx);
      // Another request has taken the key meanwhile. Its object is visible now, so the next pass finds it.
      if (object === null) continue;
      if (existing !== null) await this.blobs.doom(scope, existing.blobId, tx);
      const freed = existing?.size ?? 0;
      // The object to be replaced may have become smaller meanwhile, or may be deleted.
      const beyond = content.size - freed - reserved;
      if (beyond > 0) await this.admission.assertFits(scope, allowance, beyond, tx);
      const change = { stored: content.size - freed, objects: existing === null ? 1 : 0, unreserved: reserved };
      await this.totals.change(scope, change, tx);
      await this.record(scope, existing === null ? 'created' : 'replaced', object, tx);
      return object;
    }
  }

  async record(
    scope: ProjectMemberScope,
    what: 'created' | 'replaced' | 'updated' | 'deleted',
    { id, key, size, version }: StoredObject,
    tx: Db,
  ): Promise<void> {
    const target = { type: 'object', id };
    await this.audit.record(projectAct(scope, `object.${what}`, { key, size, version }, target), tx);
  }

  private insert(
    scope: ProjectMemberScope,
    object: NewContent & Pick<StoredObject, 'key' | 'contentType' | 'metadata'>,
    tx: Db,
  ): Promise<StoredObject | null> {
    return this.objects.insert(scope, { ...object, id: newId(), createdBy: scope.userId }, tx);
  }
}
