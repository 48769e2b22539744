import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { ProjectMemberScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { ServiceOverloaded } from '../../../../platform/http/domain-error.js';
import { newId } from '../../../../platform/ids/index.js';
import { ObjectStore } from '../../../../platform/storage/index.js';
import { BlobsRepository } from '../blobs/blobs.repository.js';
import { hold } from '../blobs/lease.js';
import type { Metadata } from '../objects/metadata.js';
import { partPath } from '../signed/signed-paths.js';
import { UrlSigner, wholeSeconds } from '../signed/url-signer.js';
import { SignedUrlsUnavailable, TooManyUploads } from '../storage.errors.js';
import { storeFailure } from '../store-failure.js';
import { layOut, partAt } from './part-layout.js';
import { UploadAdmissionService } from './upload-admission.service.js';
import type { BeginUploadRequest, UploadResponse } from './uploads.dto.js';
import { type NewUpload, UploadsRepository } from './uploads.repository.js';

const LIFE_SECONDS = 24 * 3600;
const MOST_OPEN = 100;

/** Begins uploads in parts. All of the content is reserved, and every part has its own signed URL. */
@Injectable()
export class UploadsService {
  constructor(
    private readonly database: Database,
    private readonly store: ObjectStore,
    private readonly uploads: UploadsRepository,
    private readonly admission: UploadAdmissionService,
    private readonly blobs: BlobsRepository,
    private readonly signer: UrlSigner,
    private readonly clock: Clock,
  ) {}

  async begin(scope: ProjectMemberScope, body: BeginUploadRequest, request: Request): Promise<UploadResponse> {
    if (!this.signer.isAvailable) throw new SignedUrlsUnavailable();
    const createdAt = this.clock.now();
    const upload: NewUpload = {
      id: newId(),
      blobId: newId(),
      key: body.key,
      contentType: body.content_type,
      // The validation of the field has checked that this is metadata.
      metadata: body.metadata as Metadata,
      overwrite: body.overwrite,
      ...layOut(body.size, body.part_size),
      createdBy: scope.userId,
      createdAt,
      expiresAt: wholeSeconds(createdAt, LIFE_SECONDS),
    };
    await this.database.transaction(async (tx) => {
      await this.admission.admit(scope, upload, tx);
      await this.assertRoom(scope, tx);
      await this.blobs.insert(scope, { id: upload.blobId, size: upload.size, driver: this.store.driver }, tx);
    });
    const lease = hold(() => this.blobs.prolong(scope, upload.blobId));
    try {
      const token = await this.store.beginParts(upload.blobId, upload.size, lease.signal);
      await this.database.transaction(async (tx) => {
        await this.assertRoom(scope, tx);
        if (!(await this.blobs.comesInParts(scope, upload.blobId, token, upload.expiresAt, tx)))
          throw new ServiceOverloaded();
        await this.uploads.insert(scope, upload, tx);
      });
    } catch (error) {
      await this.blobs.abandon(scope, { id: upload.blobId, driver: this.store.driver });
      throw storeFailure(error);
    } finally {
      lease.end();
    }
    return this.answer(scope, upload, request);
  }

  /** @throws TooManyUploads */
  private async assertRoom(scope: ProjectMemberScope, tx: Db): Promise<void> {
    if ((await this.uploads.countOpen(scope, tx)) >= MOST_OPEN) throw new TooManyUploads();
  }

  private answer({ projectId }: ProjectMemberScope, upload: NewUpload, request: Request): UploadResponse {
    const { id, expiresAt } = upload;
    const parts = Array.from({ length: upload.partCount }, (_, index) => {
      const number = index + 1;
      const size = partAt(upload, number)?.size ?? 0;
      const url = this.signer.sign(request, { method: 'PUT', path: partPath(id, number), expiresAt, disposition: '' });
      return { part_number: number, size, url };
    });
    return {
      id,
      project_id: projectId,
      key: upload.key,
      size: upload.size,
      content_type: upload.contentType,
      metadata: upload.metadata,
      part_size: upload.partSize,
      part_count: upload.partCount,
      parts,
      status: 'open',
      created_at: upload.createdAt.toISOString(),
      expires_at: expiresAt.toISOString(),
    };
  }
}
