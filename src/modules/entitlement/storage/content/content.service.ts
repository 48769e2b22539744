import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Readable } from 'node:stream';
import { SLOW_CLIENT_LIMITS } from '../../../../platform/http/slow-client.js';
import { ClientGone, PacedResponse } from '../../../../platform/http/paced-response.js';
import { type ByteRange, ObjectStore } from '../../../../platform/storage/index.js';
import { BandwidthRepository } from '../accounting/bandwidth.repository.js';
import { StorageAllowanceReader } from '../accounting/storage-allowance.reader.js';
import { StorageRefusalsService } from '../accounting/storage-refusals.service.js';
import { ObjectsRepository } from '../objects/objects.repository.js';
import type { StoredObject } from '../objects/stored-object.entity.js';
import { ObjectNotFound, PreconditionFailed, RangeNotSatisfiable } from '../storage.errors.js';
import { storeFailure } from '../store-failure.js';
import { rangeOf } from './byte-range.js';
import { type ConditionHeaders, isRangeWanted, judge } from '../signed/conditions.js';
import { contentHeaders } from './content-headers.js';
import { type SignedQuery, UrlSigner } from '../signed/url-signer.js';

/** Serves contents, whole or as a range, to anyone who has a signed URL. */
@Injectable()
export class ContentService {
  private readonly logger = new Logger('storage');

  constructor(
    private readonly signer: UrlSigner,
    private readonly objects: ObjectsRepository,
    private readonly store: ObjectStore,
    private readonly allowances: StorageAllowanceReader,
    private readonly bandwidth: BandwidthRepository,
    private readonly refusals: StorageRefusalsService,
  ) {}

  /** @throws InvalidSignedUrl, ObjectNotFound, PreconditionFailed, RangeNotSatisfiable, BandwidthExceeded */
  async send(id: string, query: SignedQuery, request: Request, response: Response): Promise<void> {
    const { secondsLeft, disposition } = this.signer.verify('GET', request.path, query);
    const object = await this.objects.findSigned(id);
    if (object === null) throw new ObjectNotFound();
    const validators = { etag: object.etag, modifiedAt: object.contentAt };
    // Node joins repeated headers that are lists, and keeps one value of the others.
    const headers = request.headers as ConditionHeaders & Pick<Request['headers'], 'range'>;
    const verdict = judge(headers, validators);
    if (verdict === 'failed') throw new PreconditionFailed();
    const described = contentHeaders(object, { requested: disposition, secondsLeft });
    if (verdict === 'not-modified') {
      // A 304 response has no body, so the header that describes the body is left out.
      const { 'Content-Type': _, ...kept } = described;
      response.writeHead(304, kept).end();
      return;
    }
    const isHead = request.method === 'HEAD';
    const requested =
      !isHead && isRangeWanted(headers['if-range'], validators) ? rangeOf(headers.range, object.size) : 'whole';
    if (requested === 'unsatisfiable') throw new RangeNotSatisfiable(object.size);
    const range = requested === 'whole' ? null : requested;
    const length = range === null ? object.size : range.last - range.first + 1;
    const head = {
      ...described,
      'Content-Length': length,
      ...(range !== null && { 'Content-Range': `bytes ${range.first}-${range.last}/${object.size}` }),
    };
    const status = range === null ? 200 : 206;
    if (isHead || length === 0) {
      response.writeHead(status, head).end();
      return;
    }
    await this.counted(object, length, response, (stop) => this.pass(object, range, { status, head }, response, stop));
  }

  /** Counts the response before it begins. At the end, gives back the bytes that the client has not received. */
  private async counted(
    object: StoredObject,
    length: number,
    response: Response,
    send: (stop: AbortSignal) => Promise<number>,
  ): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort(new ClientGone()));
    if (response.destroyed) gone.abort(new ClientGone());
    const { limits, isMetered } = await this.allowances.of(object);
    const limit = isMetered ? null : limits.bandwidthBytes;
    const month = await this.bandwidth.take(object, length, limit);
    if (month === null) throw this.refusals.ofBandwidth(limit ?? 0, (await this.bandwidth.of(object)).organization);
    let taken = 0;
    try {
      taken = await send(gone.signal);
    } finally {
      if (taken < length) await this.bandwidth.giveBack(object, month, length - taken);
    }
  }

  /** @returns how many bytes of content the client has received, according to its connection */
  private async pass(
    object: StoredObject,
    range: ByteRange | null,
    { status, head }: { readonly status: number; readonly head: Record<string, string | number> },
    response: Response,
    stop: AbortSignal,
  ): Promise<number> {
    let content: Readable;
    try {
      content = await this.store.open(object.blobId, range, stop);
    } catch (error) {
      if (stop.aborted) return 0;
      throw storeFailure(error);
    }
    const { socket } = response;
    const channel = new PacedResponse(response, SLOW_CLIENT_LIMITS);
    try {
      response.writeHead(status, head);
      for await (const piece of content as AsyncIterable<Buffer>) await channel.write(piece);
      await channel.end();
      return channel.given;
    } catch (error) {
      const waiting = response.writableLength + (socket?.writableLength ?? 0);
      // A client that left or was disconnected is no error. A response that cannot be finished is cut off, so that it
      // never looks complete.
      if (!stop.aborted) this.logger.error(error);
      response.destroy();
      return Math.max(0, channel.given - waiting);
    } finally {
      content.destroy();
    }
  }
}
