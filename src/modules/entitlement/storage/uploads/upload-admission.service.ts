import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { ContentAdmissionService } from '../objects/content-admission.service.js';
import { ObjectPlacementService } from '../objects/object-placement.service.js';
import { ObjectsRepository } from '../objects/objects.repository.js';
import type { NewUpload } from './uploads.repository.js';

/** Checks an upload in parts before it begins. */
@Injectable()
export class UploadAdmissionService {
  constructor(
    private readonly admission: ContentAdmissionService,
    private readonly placement: ObjectPlacementService,
    private readonly objects: ObjectsRepository,
  ) {}

  /** Reserves the whole size, even when the upload will replace other content. */
  async admit(scope: ProjectMemberScope, upload: NewUpload, tx: Db): Promise<void> {
    const allowance = await this.admission.begin(scope, tx);
    this.admission.assertSize(allowance, upload.size);
    this.placement.assertFree(await this.objects.findByKey(scope, upload.key, tx), upload);
    await this.admission.reserve(scope, allowance, upload.size, tx);
  }
}
