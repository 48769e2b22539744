import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { CONFIG, type Config } from '../../../config/index.js';
import { mapMaybePromise } from '../../../platform/concurrency/index.js';
import { RequestAborted } from '../../../platform/http/body-bytes.js';
import { BodyBudget, type BodyHolder, strangerAt } from '../../../platform/http/body-budget.js';
import { BodyReader, type BodyRoom, isLines, type ReadBody } from '../../../platform/http/body-reader.js';
import { ValidationError } from '../../../platform/http/validation/index.js';
import type { BytesBody, CheckedRequest } from '../../../platform/http/inputs.js';
import { LargeBodies, type LargeBodySlot } from '../../../platform/http/large-bodies.js';
import { addressBucket } from '../../../platform/rate-limit/index.js';
import type { AccessScope } from '../scope.js';
import type { Checks } from './route-checks.js';

/**
 * Maximum body size of public routes in bytes. A sign-in or a passkey assertion takes a few kilobytes. A larger body is
 * refused with 413.
 */
const MAX_PUBLIC_BYTES = 16 * 1024;

/** Reads the body of a route once per request, after the guard of the credential has admitted the request. */
@Injectable()
export class RequestBodyReader {
  private readonly reader = new BodyReader();
  private readonly maxBytes: number;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly budget: BodyBudget,
    private readonly large: LargeBodies,
  ) {
    this.maxBytes = config.http.maxBodyBytes;
  }

  /**
   * Returns the body, or an empty object for a route without a body.
   * @throws DomainError 408, 413, 415, or 503 when too many bodies are in flight or too many large ones are waiting
   */
  of(checks: Checks, request: CheckedRequest, response: Response): ReadBody | Promise<ReadBody> {
    return (
      checks.body ??
      mapMaybePromise(this.read(checks, request, response), (body) => {
        checks.body = body;
        return body;
      })
    );
  }

  private read(checks: Checks, request: CheckedRequest, response: Response): ReadBody | Promise<ReadBody> {
    const { body, lines } = checks.plan.inputs;
    if (body === undefined) return {};
    if (body.form === 'stream') {
      // The share is requested when the handler has verified the signature, on routes without another credential.
      request.bodyShare = this.budget.shareOf({ ...bodyHolderOf(checks.caller ?? null, request), isStranger: false });
      return {};
    }
    const room = this.roomFor(checks, request);
    if (lines !== undefined && isLines(request))
      return mapMaybePromise(this.reader.readLines(request, { ...room, maxBytes: lines.maxBytes }), (bytes) => ({
        lines: bytes,
      }));
    if (body.form === 'bytes') return this.readBytes(body.bytes, request, room);
    if (body.form === 'raw') return mapMaybePromise(this.reader.readRaw(request, room), (raw) => ({ raw }));
    try {
      const value: unknown =
        body.form === 'json'
          ? this.reader.readJson(request, room, () => this.largeBodySlot(checks.caller ?? null, request, response), {
              exactNumbers: body.exactNumbers,
              takesLines: lines !== undefined,
            })
          : this.reader.readForm(request, room);
      return value instanceof Promise ? value.then((read: unknown) => ({ value: read }), ofUnreadable) : { value };
    } catch (error) {
      return ofUnreadable(error);
    }
  }

  private readBytes(
    bytes: BytesBody | undefined,
    request: CheckedRequest,
    room: BodyRoom,
  ): ReadBody | Promise<ReadBody> {
    if (bytes === undefined) throw new Error('the route has no limit for its bytes');
    const raw = this.reader.readDecoded(request, bytes, { ...room, maxBytes: bytes.maxBytes });
    return raw instanceof Promise ? raw.then((read) => ({ raw: read }), ofUnreadable) : { raw };
  }

  private roomFor({ plan, caller }: Checks, request: CheckedRequest): BodyRoom {
    return {
      maxBytes: plan.access.kind === 'public' ? Math.min(MAX_PUBLIC_BYTES, this.maxBytes) : this.maxBytes,
      share: () => this.budget.shareOf(bodyHolderOf(caller ?? null, request)),
    };
  }

  /**
   * Waits for a slot to parse a large body. The slot is released when the handler no longer needs the body or the
   * response has been sent.
   */
  private async largeBodySlot(
    caller: AccessScope | null,
    request: CheckedRequest,
    response: Response,
  ): Promise<LargeBodySlot> {
    const slot = await this.large.acquire(holderOf(caller, request));
    if (response.destroyed) {
      slot.end();
      throw new RequestAborted('the client went away before its turn');
    }
    request.largeBodySlot = slot;
    response.once('close', slot.end);
    return slot;
  }
}

/**
 * Turns malformed JSON into validation issues. They are reported after the access check, which may still find the
 * organization or project in path or query.
 */
function ofUnreadable(error: unknown): ReadBody {
  if (error instanceof ValidationError) return { issues: error.issues };
  throw error;
}

/** Returns the holder to whom a large body is counted. Holders with large bodies get the slot in turn. */
function holderOf(caller: AccessScope | null, request: CheckedRequest): string {
  if (caller === null) return request.ip ?? '';
  if ('userId' in caller) return caller.userId;
  return caller.kind === 'scim' ? caller.organizationId : caller.projectId;
}

/** Returns the holder whose bodies in flight are counted together. */
function bodyHolderOf(caller: AccessScope | null, request: CheckedRequest): BodyHolder {
  if (caller === null) return strangerAt(addressBucket(request.ip));
  const name = 'userId' in caller ? `user ${caller.userId}` : `organization ${caller.organizationId}`;
  return { name, isStranger: false };
}
