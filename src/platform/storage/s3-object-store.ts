import type * as Sdk from '@aws-sdk/client-s3';
import type { S3Settings } from '../../config/index.js';
import { within } from '../concurrency/index.js';
import { BlobStream } from './blob-stream.js';
import {
  BlobMissing,
  type ByteRange,
  isBlobId,
  ObjectStore,
  type PartPlace,
  PartsLost,
  SLOTS,
  StoreUnavailable,
  type WrittenPart,
} from './object-store.js';
import { checkPlace, inOrder } from './parts.js';
import { S3_LIMITS, S3Connection, type S3Limits } from './s3-connection.js';
import { faultOf, unavailable } from './s3-faults.js';
import { S3Upload } from './s3-upload.js';
import { spooled } from './spool.js';

/**
 * Stores blobs as objects of one bucket, with their ids as keys. Requests have no conditions, because ids are used only
 * once and some S3-compatible services refuse conditions.
 */
export class S3ObjectStore extends ObjectStore {
  override readonly driver = 's3';

  private constructor(
    private readonly s3: S3Connection,
    private readonly spoolFolder: string,
  ) {
    super();
  }

  /**
   * Loads the SDK and creates the store. @param spoolFolder the absolute path of the folder in which content of unknown
   * size is stored first, because S3 needs the size in advance
   */
  static async open(settings: S3Settings, spoolFolder: string, limits: S3Limits = S3_LIMITS): Promise<S3ObjectStore> {
    return new S3ObjectStore(await S3Connection.open(settings, limits), spoolFolder);
  }

  override async put(
    blobId: string,
    content: AsyncIterable<Uint8Array>,
    size: number | null,
    signal: AbortSignal,
  ): Promise<void> {
    const key = keyOf(blobId);
    if (size === null) {
      return spooled(this.spoolFolder, content, signal, (spool, length) => this.put(blobId, spool, length, signal));
    }
    const { sdk, once, bucket, limits } = this.s3;
    const upload = new S3Upload(content, size, limits.idleMs, signal);
    try {
      await upload.through((Body, abortSignal) =>
        once
          .send(new sdk.PutObjectCommand({ Bucket: bucket, Key: key, Body, ContentLength: size }), { abortSignal })
          .catch((error: unknown) => {
            throw unavailable('PutObject', error);
          }),
      );
    } catch (error) {
      // The blob may exist although its answer was lost. If deleting it fails here, remove() deletes it later, as after
      // a crash.
      if (upload.isWhole) await this.delete(blobId).catch(() => undefined);
      throw error;
    }
  }

  override async open(blobId: string, range: ByteRange | null, signal: AbortSignal): Promise<BlobStream> {
    const Range = range === null ? undefined : `bytes=${range.first}-${range.last}`;
    const { sdk, bucket } = this.s3;
    const command = new sdk.GetObjectCommand({ Bucket: bucket, Key: keyOf(blobId), Range });
    // This signal must live as long as the stream, which continues after the call.
    const ending = new AbortController();
    const answer = await this.s3
      .call((client, bound) => {
        bound.addEventListener('abort', () => ending.abort(), { once: true });
        return client.send(command, { abortSignal: ending.signal });
      }, signal)
      .catch((error: unknown) => {
        signal.throwIfAborted();
        throw faultOf(error).code === 'NoSuchKey' ? new BlobMissing() : unavailable('GetObject', error);
      });
    const end = (): Promise<void> => {
      ending.abort();
      return Promise.resolve();
    };
    const length = answer.ContentLength;
    if (answer.Body === undefined || length === undefined || !isAnswerTo(range, answer)) {
      await end();
      throw new StoreUnavailable(new Error('GetObject: not what was asked for'));
    }
    return new BlobStream({ next: this.reader(answer.Body as AsyncIterable<Uint8Array>, length), close: end }, signal);
  }

  override async remove(blobId: string, uploadToken: string | null): Promise<void> {
    // The upload is aborted first. If another caller completes it at the same time, it is an object by then, which is
    // deleted next.
    if (uploadToken !== null) await this.abort(blobId, uploadToken);
    else for await (const upload of this.uploads(keyOf(blobId), null)) await this.abort(blobId, upload.UploadId ?? '');
    await this.delete(blobId);
  }

  override async beginParts(blobId: string, _size: number, signal: AbortSignal): Promise<string> {
    const { sdk, bucket } = this.s3;
    const command = new sdk.CreateMultipartUploadCommand({ Bucket: bucket, Key: keyOf(blobId) });
    // The call is not retried. If its answer were lost, a retry would leave an upload that no record refers to.
    const { UploadId } = await this.s3
      .try((client, abortSignal) => client.send(command, { abortSignal }), signal)
      .catch((error: unknown) => {
        signal.throwIfAborted();
        throw unavailable('CreateMultipartUpload', error);
      });
    if (!UploadId) throw new StoreUnavailable(new Error('CreateMultipartUpload: no id'));
    return UploadId;
  }

  override async putPart(
    blobId: string,
    uploadToken: string,
    part: PartPlace,
    content: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<string> {
    checkPlace(part);
    const { sdk, once, bucket, limits } = this.s3;
    const place = { Bucket: bucket, Key: keyOf(blobId), UploadId: uploadToken, PartNumber: numberOf(part) };
    const send = async (Body: Sdk.UploadPartCommandInput['Body'], abortSignal: AbortSignal): Promise<string> => {
      try {
        const command = new sdk.UploadPartCommand({ ...place, Body, ContentLength: part.size });
        const { ETag } = await once.send(command, { abortSignal });
        if (ETag) return ETag;
        throw new StoreUnavailable(new Error('UploadPart: no ETag'));
      } catch (error) {
        throw faultOf(error).code === 'NoSuchUpload' ? new PartsLost() : unavailable('UploadPart', error);
      }
    };
    return new S3Upload(content, part.size, limits.idleMs, signal).through(send);
  }

  /** `disturbed` is ignored, because a part that was overwritten has another ETag and is refused. */
  override async completeParts(
    blobId: string,
    uploadToken: string,
    parts: readonly WrittenPart[],
    { size }: { size: number; disturbed: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const { sdk, bucket, limits } = this.s3;
    const Parts = inOrder(parts, size).map((part) => ({ PartNumber: numberOf(part), ETag: part.token }));
    const command = new sdk.CompleteMultipartUploadCommand({
      Bucket: bucket,
      Key: keyOf(blobId),
      UploadId: uploadToken,
      MultipartUpload: { Parts },
    });
    try {
      await this.s3.call((client, abortSignal) => client.send(command, { abortSignal }), signal, limits.completeMs);
    } catch (error) {
      signal.throwIfAborted();
      // An earlier attempt, in this or another process, may have completed the upload even though this call failed.
      const found = await this.isComplete(blobId, size).catch((unknown: unknown) => unknown);
      if (found === true) return;
      if (!isLoss(error)) throw unavailable('CompleteMultipartUpload', error);
      throw found === false ? new PartsLost() : found;
    }
  }

  override async health(): Promise<void> {
    const { sdk, bucket, limits } = this.s3;
    const command = new sdk.HeadBucketCommand({ Bucket: bucket });
    await this.s3
      .try((client, abortSignal) => client.send(command, { abortSignal }), null, limits.healthMs)
      .catch((error: unknown) => {
        throw unavailable('HeadBucket', error);
      });
  }

  override async *blobs(signal: AbortSignal): AsyncGenerator<readonly string[]> {
    // Uploads are listed before objects, so an upload that is completed meanwhile is found as an object.
    let batch: string[] = [];
    for await (const { Key } of this.uploads('', signal)) {
      if (Key === undefined || !isBlobId(Key)) continue;
      batch.push(Key);
      if (batch.length < LISTED) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
    const { sdk, bucket } = this.s3;
    let token: string | undefined;
    do {
      const command = new sdk.ListObjectsV2Command({ Bucket: bucket, MaxKeys: LISTED, ContinuationToken: token });
      const page = await this.list('ListObjectsV2', signal, (client, abortSignal) =>
        client.send(command, { abortSignal }),
      );
      const ids = (page.Contents ?? []).flatMap(({ Key }) => (Key !== undefined && isBlobId(Key) ? [Key] : []));
      if (ids.length > 0) yield ids;
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  override close(): Promise<void> {
    this.s3.close();
    return Promise.resolve();
  }

  private async *uploads(prefix: string, signal: AbortSignal | null): AsyncGenerator<Sdk.MultipartUpload> {
    const { sdk, bucket } = this.s3;
    let after: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {};
    while (after !== undefined) {
      const command: Sdk.ListMultipartUploadsCommand = new sdk.ListMultipartUploadsCommand({
        Bucket: bucket,
        Prefix: prefix,
        MaxUploads: LISTED,
        ...after,
      });
      const page: Sdk.ListMultipartUploadsCommandOutput = await this.list(
        'ListMultipartUploads',
        signal,
        (client, abortSignal) => client.send(command, { abortSignal }),
      );
      yield* page.Uploads ?? [];
      after =
        page.IsTruncated === true
          ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
          : undefined;
    }
  }

  private async list<T>(
    operation: string,
    signal: AbortSignal | null,
    make: (client: Sdk.S3Client, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.s3.call(make, signal).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw unavailable(operation, error);
    });
  }

  private async abort(blobId: string, uploadToken: string): Promise<void> {
    const { sdk, bucket } = this.s3;
    const place = { Bucket: bucket, Key: keyOf(blobId), UploadId: uploadToken };
    await this.s3
      .call((client, abortSignal) => client.send(new sdk.AbortMultipartUploadCommand(place), { abortSignal }))
      .catch((error: unknown) => {
        // Swift answers NoSuchKey for an upload that has ended.
        if (!['NoSuchUpload', 'NoSuchKey'].includes(faultOf(error).code))
          throw unavailable('AbortMultipartUpload', error);
      });
  }

  private async delete(blobId: string): Promise<void> {
    const { sdk, bucket } = this.s3;
    const place = { Bucket: bucket, Key: keyOf(blobId) };
    await this.s3
      .call((client, abortSignal) => client.send(new sdk.DeleteObjectCommand(place), { abortSignal }))
      .catch((error: unknown) => {
        if (faultOf(error).code !== 'NoSuchKey') throw unavailable('DeleteObject', error);
      });
  }

  private async isComplete(blobId: string, size: number): Promise<boolean> {
    const { sdk, bucket } = this.s3;
    const place = { Bucket: bucket, Key: keyOf(blobId) };
    try {
      const head = await this.s3.call((client, abortSignal) =>
        client.send(new sdk.HeadObjectCommand(place), { abortSignal }),
      );
      return head.ContentLength === size;
    } catch (error) {
      if (faultOf(error).status === 404) return false;
      throw unavailable('HeadObject', error);
    }
  }

  /** Returns a function that reads the next chunk. Its time limit applies only while a read waits for the store. */
  private reader(body: AsyncIterable<Uint8Array>, length: number): () => Promise<Uint8Array | null> {
    const { idleMs } = this.s3.limits;
    const chunks = body[Symbol.asyncIterator]();
    const late = (): Error => new StoreUnavailable(new Error(`The store sent nothing for ${idleMs} ms`));
    let received = 0;
    return async () => {
      try {
        const step = await within(idleMs, chunks.next(), late);
        if (step.done === true && received < length) throw new StoreUnavailable(new Error('The store sent too little'));
        if (step.done === true) return null;
        received += step.value.length;
        return step.value;
      } catch (error) {
        throw unavailable('GetObject', error);
      }
    };
  }
}

/** The page size of S3's lists. */
const LISTED = 1_000;

function keyOf(blobId: string): string {
  if (!isBlobId(blobId)) throw new TypeError('Not the id of a blob');
  return blobId;
}

/** Returns the part number for S3. Each slot is a separate part there, and part numbers go up to 10,000. */
function numberOf({ number, slot }: PartPlace): number {
  return (number - 1) * SLOTS + slot + 1;
}

/** Returns whether the answer matches the range. A service that does not support ranges returns the whole blob. */
function isAnswerTo(range: ByteRange | null, { ContentRange, ContentLength }: Sdk.GetObjectCommandOutput): boolean {
  if (range === null) return ContentRange === undefined;
  const isLong = ContentLength === range.last - range.first + 1;
  return isLong && ContentRange?.startsWith(`bytes ${range.first}-${range.last}/`) === true;
}

function isLoss(error: unknown): boolean {
  return ['NoSuchUpload', 'InvalidPart', 'InvalidPartOrder'].includes(faultOf(error).code);
}
