import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { matches } from '../signed/conditions.js';
import { ObjectExists, ObjectNotFound, PreconditionFailed } from '../storage.errors.js';
import { ContentAdmissionService } from './content-admission.service.js';
import type { Metadata } from './metadata.js';
import { ObjectPlacementService } from './object-placement.service.js';
import { ObjectRemovalService } from './object-removal.service.js';
import { type ChangeObjectRequest, objectResponse, type ObjectResponse } from './objects.dto.js';
import { ObjectsRepository } from './objects.repository.js';
import type { StoredObject } from './stored-object.entity.js';

/** Changes the key, type and metadata of objects, and removes objects. */
@Injectable()
export class ObjectsService {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectsRepository,
    private readonly admission: ContentAdmissionService,
    private readonly placement: ObjectPlacementService,
    private readonly removal: ObjectRemovalService,
  ) {}

  /** Changes the fields that the request contains. An empty request changes nothing and records no audit event. */
  change(
    scope: ProjectMemberScope,
    id: string,
    request: ChangeObjectRequest,
    ifMatch: string | undefined,
  ): Promise<ObjectResponse> {
    return this.database.transaction(async (tx) => {
      await this.admission.begin(scope, tx);
      const others = request.key === undefined ? [] : await this.objects.lockToRename(scope, id, request.key, tx);
      const before = await this.locked(scope, id, ifMatch, tx);
      if (others.some((other) => other.id !== id)) throw new ObjectExists();
      const { key, content_type: contentType } = request;
      // The validation of the field has checked that this is metadata.
      const metadata = request.metadata as Metadata | undefined;
      if (key === undefined && contentType === undefined && metadata === undefined) return objectResponse(before);
      const after = await this.objects.update(scope, id, { key, contentType, metadata }, tx);
      await this.placement.record(scope, 'updated', after, tx);
      return objectResponse(after);
    });
  }

  async remove(scope: ProjectMemberScope, id: string, ifMatch: string | undefined): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.removal.begin(scope, tx);
      const object = await this.locked(scope, id, ifMatch, tx);
      await this.objects.remove(scope, id, tx);
      await this.removal.release(scope, object, tx);
      await this.placement.record(scope, 'deleted', object, tx);
    });
  }

  private async locked(scope: ProjectScope, id: string, ifMatch: string | undefined, tx: Db): Promise<StoredObject> {
    const object = await this.objects.lock(scope, id, tx);
    if (object === null) throw new ObjectNotFound();
    if (ifMatch !== undefined && !matches(ifMatch, object.etag)) throw new PreconditionFailed();
    return object;
  }
}
