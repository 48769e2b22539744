import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import type { ProjectMemberScope } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import { BodyTooLarge, ServiceOverloaded } from '../../../../platform/http/domain-error.js';
import { newId } from '../../../../platform/ids/index.js';
import { ObjectStore } from '../../../../platform/storage/index.js';
import type { StorageAllowance } from '../accounting/storage-allowance.reader.js';
import { BlobsRepository } from '../blobs/blobs.repository.js';
import { hold } from '../blobs/lease.js';
import { storeFailure } from '../store-failure.js';
import { ContentAdmissionService } from './content-admission.service.js';
import { type ExpectedDigests, MeasuredContent } from './measured-content.js';
import { ObjectPlacementService, type Target } from './object-placement.service.js';
import { ObjectsRepository } from './objects.repository.js';
import type { StoredObject } from './stored-object.entity.js';

/** The bytes of content of unknown length are reserved as they arrive, in steps of this size. */
const STEP_BYTES = 1024 * 1024;

/** Content that is being uploaded. */
export interface UploadSource {
  readonly pieces: AsyncIterable<Buffer>;
  /** Null when the size is known only at the end. */
  readonly size: number | null;
  readonly digests: ExpectedDigests;
}

/** The state that was read and reserved before the first byte. */
interface Begun {
  readonly blobId: string;
  readonly allowance: StorageAllowance;
  /** The bytes stored under the key now. They are given back when the new content replaces them. */
  readonly replaced: number;
}

/**
 * Uploads an object in one request. The row of its blob exists before the first byte is written, and the object as soon
 * as the last byte is durable. A process that dies in between leaves only a blob, which the sweep removes with its
 * reservation.
 */
@Injectable()
export class ObjectUploadService {
  constructor(
    private readonly database: Database,
    private readonly store: ObjectStore,
    private readonly admission: ContentAdmissionService,
    private readonly placement: ObjectPlacementService,
    private readonly objects: ObjectsRepository,
    private readonly blobs: BlobsRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The maximum content of one request, in bytes. */
  get mostBytes(): number {
    return this.config.storage.objectBodyMaxBytes;
  }

  /** Checks before the body is read whether anything may be stored at all. */
  async assertOpen(scope: ProjectMemberScope): Promise<void> {
    await this.database.transaction((tx) => this.admission.begin(scope, tx));
  }

  async upload(scope: ProjectMemberScope, target: Target, source: UploadSource): Promise<StoredObject> {
    const { pieces, size, digests } = source;
    const begun = await this.begin(scope, target, size);
    const lease = hold(() => this.blobs.prolong(scope, begun.blobId));
    try {
      let reserved = added(size ?? 0, begun);
      const reserve = async (bytes: number): Promise<void> => {
        const more = added(bytes, begun) - reserved;
        if (more <= 0) return;
        await this.grow(scope, begun, more);
        reserved += more;
      };
      const content = new MeasuredContent(pieces, digests, async (come) => {
        if (come > this.mostBytes) throw new BodyTooLarge();
        this.admission.assertSize(begun.allowance, come);
        if (added(come, begun) - reserved >= STEP_BYTES) await reserve(come);
      });
      await this.store.put(begun.blobId, content, size, lease.signal);
      await reserve(content.size);
      return await this.place(scope, target, begun, content);
    } catch (error) {
      await this.blobs.abandon(scope, { id: begun.blobId, driver: this.store.driver });
      throw storeFailure(error);
    } finally {
      lease.end();
    }
  }

  private begin(scope: ProjectMemberScope, target: Target, size: number | null): Promise<Begun> {
    const known = size ?? 0;
    if (known > this.mostBytes) throw new BodyTooLarge();
    return this.database.transaction(async (tx) => {
      const allowance = await this.admission.begin(scope, tx);
      this.admission.assertSize(allowance, known);
      const existing = await this.objects.findByKey(scope, target.key, tx);
      this.placement.assertFree(existing, target);
      const begun = { blobId: newId(), allowance, replaced: existing?.size ?? 0 };
      const reserved = added(known, begun);
      await this.admission.reserve(scope, allowance, reserved, tx);
      await this.blobs.insert(scope, { id: begun.blobId, size: reserved, driver: this.store.driver }, tx);
      return begun;
    });
  }

  private async grow(scope: ProjectMemberScope, { blobId, allowance }: Begun, bytes: number): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (!(await this.blobs.grow(scope, blobId, bytes, tx))) throw new ServiceOverloaded();
      await this.admission.reserve(scope, allowance, bytes, tx);
    });
  }

  private place(
    scope: ProjectMemberScope,
    target: Target,
    { blobId }: Begun,
    { size, etag }: MeasuredContent,
  ): Promise<StoredObject> {
    return this.database.transaction(async (tx) => {
      const allowance = await this.admission.begin(scope, tx);
      const content = { blobId, size, etag, sha256: etag };
      return this.placement.place(scope, target, content, allowance, tx);
    });
  }
}

/** Returns how many bytes content adds to the stored ones: the difference when it replaces other content. */
function added(size: number, { replaced }: Begun): number {
  return Math.max(0, size - replaced);
}
