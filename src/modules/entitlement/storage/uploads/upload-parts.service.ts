import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { ServiceOverloaded } from '../../../../platform/http/domain-error.js';
import { brokenRule } from '../../../../platform/http/validation/index.js';
import type { StreamedBody } from '../../../../platform/http/streamed-body.js';
import { newId } from '../../../../platform/ids/index.js';
import { ObjectStore, StoreUnavailable } from '../../../../platform/storage/index.js';
import { BlobsRepository } from '../blobs/blobs.repository.js';
import { hold } from '../blobs/lease.js';
import { ContentAdmissionService } from '../objects/content-admission.service.js';
import { type ExpectedDigests, MeasuredContent } from '../objects/measured-content.js';
import { InvalidSignedUrl, UploadCompleted, UploadNotFound } from '../storage.errors.js';
import { storeFailure } from '../store-failure.js';
import { partAt } from './part-layout.js';
import { type CompletePart, type PartClaim, UploadPartsRepository } from './upload-parts.repository.js';
import type { WrittenPartResponse } from './uploads.dto.js';
import { type SeenUpload, UploadsRepository } from './uploads.repository.js';

/** Receives the parts of uploads, in any order, in parallel and repeatedly. */
@Injectable()
export class UploadPartsService {
  private readonly logger = new Logger('storage');

  constructor(
    private readonly database: Database,
    private readonly store: ObjectStore,
    private readonly uploads: UploadsRepository,
    private readonly parts: UploadPartsRepository,
    private readonly blobs: BlobsRepository,
    private readonly admission: ContentAdmissionService,
  ) {}

  /** Stores a part. The caller has verified the signature of the URL. */
  async write(id: string, number: number, body: StreamedBody, digests: ExpectedDigests): Promise<WrittenPartResponse> {
    const upload = await this.uploads.findSigned(id);
    assertTaken(upload);
    await this.admission.assertOpen(upload);
    const part = partAt(upload, number);
    // No URL was signed for a part that does not exist.
    if (part === null) throw new InvalidSignedUrl();
    if (body.declared !== null && body.declared < part.size) throw tooShort(part);
    const claim = await this.claim(upload, number);
    const lease = hold(() => this.parts.prolong(upload, claim));
    try {
      const content = new MeasuredContent(exactly(part, body.pieces(part.size)), digests, () => undefined);
      const uploadToken = (await this.blobs.uploadToken(upload, upload.blobId)) ?? '';
      const token = await this.store.putPart(
        upload.blobId,
        uploadToken,
        { ...part, slot: claim.slot },
        content,
        lease.signal,
      );
      await this.finish(upload, claim, { sha256: content.etag, token });
      return { upload_id: id, part_number: number, size: part.size, etag: content.etag };
    } catch (error) {
      await this.parts.release(upload, claim);
      throw storeFailure(error);
    } finally {
      lease.end();
    }
  }

  private claim(upload: SeenUpload, number: number): Promise<PartClaim> {
    return this.database.transaction(async (tx) => {
      assertTaken(await this.uploads.lock(upload, upload.id, false, tx));
      const claim = await this.parts.claim(upload, { uploadId: upload.id, number, writer: newId() }, tx);
      if (claim === null) throw new ServiceOverloaded();
      return claim;
    });
  }

  private async finish(
    upload: SeenUpload,
    claim: PartClaim,
    written: { readonly sha256: string; readonly token: string },
  ): Promise<void> {
    const replaced = await this.database.transaction(async (tx) => {
      assertTaken(await this.uploads.lock(upload, upload.id, false, tx));
      const before = await this.parts.finish(upload, claim, written, tx);
      // The claim was lost to a request that completes the upload, or because the database was unreachable for too
      // long.
      if (before === false) throw new ServiceOverloaded();
      return before;
    });
    for (const { slot, token } of replaced) await this.forget(upload, { number: claim.number, slot, token });
  }

  /**
   * Removes a part that was replaced, so that repeated parts take no extra space. A part that cannot be removed now is
   * removed with the upload.
   */
  private async forget(upload: SeenUpload, part: Pick<CompletePart, 'number' | 'slot' | 'token'>): Promise<void> {
    try {
      await this.store.removePart(upload.blobId, part);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      this.logger.warn(error);
    }
  }
}

/** @throws UploadNotFound, UploadCompleted */
function assertTaken(upload: SeenUpload | null): asserts upload is SeenUpload {
  if (upload === null || upload.isExpired) throw new UploadNotFound();
  if (upload.status === 'completed' || upload.assembledAt !== null) throw new UploadCompleted();
  // The claim counts even after its lease has expired: the request that held it may have joined the parts before its
  // process died.
  if (upload.claim !== null) throw new ServiceOverloaded();
}

interface PartSize {
  readonly number: number;
  readonly size: number;
}

async function* exactly(part: PartSize, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    yield piece;
  }
  if (size < part.size) throw tooShort(part);
}

function tooShort({ number, size }: PartSize): Error {
  return brokenRule(['body'], `part ${number} has ${size} bytes`, null);
}
