import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { ServiceOverloaded } from '../../../../platform/http/domain-error.js';
import { brokenRule } from '../../../../platform/http/validation/index.js';
import { newId } from '../../../../platform/ids/index.js';
import { ObjectStore } from '../../../../platform/storage/index.js';
import { BlobsRepository } from '../blobs/blobs.repository.js';
import { hold } from '../blobs/lease.js';
import { ContentAdmissionService } from '../objects/content-admission.service.js';
import { ObjectPlacementService } from '../objects/object-placement.service.js';
import { objectResponse, type ObjectResponse } from '../objects/objects.dto.js';
import { ObjectsRepository } from '../objects/objects.repository.js';
import { ObjectNotFound, PartMismatch, UploadIncomplete, UploadNotFound } from '../storage.errors.js';
import { storeFailure } from '../store-failure.js';
import { partAt } from './part-layout.js';
import { type CompletePart, UploadPartsRepository } from './upload-parts.repository.js';
import type { CompletedPartRequest } from './uploads.dto.js';
import { type SeenUpload, UploadsRepository } from './uploads.repository.js';

const LOOK_AGAIN_MS = 100;
/** A request waits this long while another one completes the upload. The store may have to copy gigabytes. */
const WAIT_TIMEOUT_MS = 60_000;

/** The data for joining the parts of an upload. */
interface Assembly {
  readonly upload: SeenUpload;
  readonly claim: string;
  readonly parts: readonly CompletePart[];
  readonly uploadToken: string;
  readonly disturbed: boolean;
}

/**
 * Creates an object from the parts of an upload. Of several parallel requests, one joins the parts under a lease,
 * outside of any transaction. The others wait for it and get the same response. If the process dies in between, the
 * next request continues: the store detects what was already done.
 */
@Injectable()
export class UploadCompletionService {
  constructor(
    private readonly database: Database,
    private readonly store: ObjectStore,
    private readonly uploads: UploadsRepository,
    private readonly parts: UploadPartsRepository,
    private readonly blobs: BlobsRepository,
    private readonly objects: ObjectsRepository,
    private readonly admission: ContentAdmissionService,
    private readonly placement: ObjectPlacementService,
  ) {}

  async complete(
    scope: ProjectMemberScope,
    id: string,
    given: readonly CompletedPartRequest[] | undefined,
  ): Promise<ObjectResponse> {
    const giveUpAt = performance.now() + WAIT_TIMEOUT_MS;
    for (;;) {
      const begun = await this.database.transaction((tx) => this.begin(scope, id, given, tx));
      if (begun === 'somebody else does') {
        if (performance.now() >= giveUpAt) throw new ServiceOverloaded();
        await pause(LOOK_AGAIN_MS);
        continue;
      }
      return 'claim' in begun ? this.assemble(scope, begun) : begun;
    }
  }

  private async begin(
    scope: ProjectMemberScope,
    id: string,
    given: readonly CompletedPartRequest[] | undefined,
    tx: Db,
  ): Promise<ObjectResponse | Assembly | 'somebody else does'> {
    const upload = await this.uploads.lock(scope, id, true, tx);
    if (upload === null || upload.isExpired) throw new UploadNotFound();
    if (upload.objectId !== null) {
      const object = await this.objects.find(scope, upload.objectId, tx);
      if (object === null) throw new ObjectNotFound();
      return objectResponse(object);
    }
    assertAll(upload, given);
    if (upload.isClaimed) return 'somebody else does';
    await this.admission.begin(scope, tx);
    const parts = await this.parts.complete(scope, id, tx);
    assertSame(upload, parts, given);
    this.placement.assertFree(await this.objects.findByKey(scope, upload.key, tx), upload);
    const disturbed = await this.parts.revoke(scope, id, tx);
    const claim = newId();
    await this.uploads.claim(scope, id, claim, tx);
    const uploadToken = (await this.blobs.uploadToken(scope, upload.blobId, tx)) ?? '';
    return { upload, claim, parts, uploadToken, disturbed };
  }

  private async assemble(scope: ProjectMemberScope, assembly: Assembly): Promise<ObjectResponse> {
    const { upload, claim, parts, uploadToken, disturbed } = assembly;
    const lease = hold(() => this.uploads.prolong(scope, upload.id, claim));
    try {
      const places = parts.map((part) => ({ ...placeOf(upload, part), slot: part.slot, token: part.token }));
      const { size } = upload;
      await this.store.completeParts(upload.blobId, uploadToken, places, { size, disturbed }, lease.signal);
      await this.uploads.markAssembled(scope, upload.id, claim);
      return await this.place(scope, assembly);
    } catch (error) {
      await this.uploads.release(scope, upload.id, claim);
      throw storeFailure(error);
    } finally {
      lease.end();
    }
  }

  private place(scope: ProjectMemberScope, { upload, claim, parts }: Assembly): Promise<ObjectResponse> {
    return this.database.transaction(async (tx) => {
      // The upload is locked first, as in every operation that ends an upload.
      const ours = (await this.uploads.lock(scope, upload.id, true, tx))?.claim === claim;
      if (!ours) throw new ServiceOverloaded();
      const allowance = await this.admission.begin(scope, tx);
      const content = { blobId: upload.blobId, size: upload.size, etag: etagOf(parts), sha256: null };
      const object = await this.placement.place(scope, upload, content, allowance, tx);
      await this.uploads.complete(scope, upload.id, object.id, tx);
      await this.parts.removeAll(scope, upload.id, tx);
      return objectResponse(object);
    });
  }
}

function placeOf(upload: SeenUpload, { number }: CompletePart): NonNullable<ReturnType<typeof partAt>> {
  const place = partAt(upload, number);
  if (place === null) throw new Error('a part that was taken has a place');
  return place;
}

/** Returns the SHA-256 of the digests of the parts, one after another, and the number of parts. */
function etagOf(parts: readonly CompletePart[]): string {
  const hash = createHash('sha256');
  for (const { sha256 } of parts) hash.update(sha256, 'hex');
  return `${hash.digest('hex')}-${parts.length}`;
}

/** @throws ValidationError when parts are given, but not all of them in their order */
function assertAll({ partCount }: SeenUpload, given: readonly CompletedPartRequest[] | undefined): void {
  if (given === undefined) return;
  if (given.length === partCount && given.every((part, index) => part.part_number === index + 1)) return;
  throw brokenRule(['body', 'parts'], `parts must be all ${partCount} parts in their order`, null);
}

/** Removes the quotes, because clients pass on the header `ETag` of a part unchanged. */
function unquoted(etag: string): string {
  return /^"(.*)"$/.exec(etag)?.[1] ?? etag;
}

/** @throws UploadIncomplete, PartMismatch */
function assertSame(
  { partCount }: SeenUpload,
  parts: readonly CompletePart[],
  given: readonly CompletedPartRequest[] | undefined,
): void {
  if (parts.length < partCount) {
    const known = new Set(parts.map(({ number }) => number));
    throw new UploadIncomplete(
      Array.from({ length: partCount }, (_, index) => index + 1).filter((number) => !known.has(number)),
    );
  }
  const other = given?.find(({ etag }, index) => unquoted(etag) !== parts[index]?.sha256);
  if (other !== undefined) throw new PartMismatch(other.part_number);
}
