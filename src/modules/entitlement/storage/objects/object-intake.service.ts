import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope } from '../../../access/index.js';
import { brokenRule, isSafeText, ValidationError } from '../../../../platform/http/validation/index.js';
import type { StreamedBody } from '../../../../platform/http/streamed-body.js';
import { DEFAULT_MEDIA_TYPE, isMediaType, MEDIA_TYPE_RULE } from './media-type.js';
import { expectedDigests } from './measured-content.js';
import { type Metadata, metadataFault } from './metadata.js';
import { isObjectKey, KEY_RULE } from './object-key.js';
import { ObjectUploadService } from './object-upload.service.js';
import { objectResponse, type ObjectResponse, type UploadHeaders, type UploadObjectQuery } from './objects.dto.js';
import { readUploadForm, type UploadForm } from './upload-form.js';

/** A request that uploads an object, before its body is read. */
export interface UploadRequest {
  readonly query: UploadObjectQuery;
  readonly headers: UploadHeaders;
  readonly contentType: string | undefined;
  readonly body: StreamedBody;
}

/** Determines what a request uploads, and to which key: a raw body, or a form with a file. */
@Injectable()
export class ObjectIntakeService {
  constructor(private readonly uploads: ObjectUploadService) {}

  async take(scope: ProjectMemberScope, request: UploadRequest): Promise<ObjectResponse> {
    const { query, headers, contentType, body } = request;
    const digests = expectedDigests(headers.contentMd5, headers.contentDigest);
    const { overwrite } = query;
    const conditions = { overwrite, ifMatch: headers.ifMatch, ifNoneMatch: headers.ifNoneMatch };
    const isForm = /^[ \t]*multipart\//i.test(contentType ?? '');
    if (!isForm) {
      const { key } = query;
      if (key === undefined) throw missing(['query', 'key']);
      const target = { key, contentType: query.content_type ?? mediaTypeOf(contentType), metadata: {}, ...conditions };
      const pieces = body.pieces(this.uploads.mostBytes);
      return objectResponse(await this.uploads.upload(scope, target, { pieces, size: body.declared, digests }));
    }
    await this.uploads.assertOpen(scope);
    const form = await readUploadForm(body, contentType ?? '', this.uploads.mostBytes);
    const { file } = form;
    if (file === null) throw missing(['body', 'file']);
    const target = {
      key: keyOf(query, form),
      contentType: query.content_type ?? givenMediaType(form) ?? mediaTypeOf(file.mediaType),
      metadata: metadataOf(form),
      ...conditions,
    };
    const source = { pieces: file.content, size: null, digests };
    return objectResponse(await this.uploads.upload(scope, target, source));
  }
}

function missing(loc: (string | number)[]): ValidationError {
  return new ValidationError([{ type: 'missing', loc, msg: 'Field required', input: null }]);
}

/** Returns the media type that a body or part states. @throws ValidationError */
function mediaTypeOf(header: string | undefined): string {
  const given = header?.trim();
  if (given === undefined || given === '') return DEFAULT_MEDIA_TYPE;
  if (!isMediaType(given)) throw brokenRule(['header', 'content-type'], MEDIA_TYPE_RULE, given.slice(0, 200));
  return given;
}

function givenMediaType({ fields }: UploadForm): string | undefined {
  const given = fields.get('content_type');
  if (given !== undefined && !isMediaType(given)) throw brokenRule(['body', 'content_type'], MEDIA_TYPE_RULE, given);
  return given;
}

function keyOf(query: UploadObjectQuery, { fields, file }: UploadForm): string {
  const key = fields.get('key') ?? query.key ?? lastSegment(file?.name);
  if (key === undefined) throw missing(['body', 'key']);
  // The form parser replaces bytes that are not UTF-8 by U+FFFD, so different names would become the same key.
  const isUtf8 = key === query.key || !key.includes('\ufffd');
  if (!isUtf8 || !isObjectKey(key) || !isSafeText(key)) throw brokenRule(['body', 'key'], KEY_RULE, key.slice(0, 200));
  return key;
}

/** Returns the last segment of the path that some browsers send with a file. */
function lastSegment(name: string | undefined): string | undefined {
  return name === undefined || name === ''
    ? undefined
    : name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
}

function metadataOf({ fields }: UploadForm): Metadata {
  const text = fields.get('metadata');
  if (text === undefined) return {};
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw brokenRule(['body', 'metadata'], 'metadata must be an object in JSON', null);
  const fault = metadataFault(value as Record<string, unknown>);
  if (fault !== undefined) throw brokenRule(['body', 'metadata'], fault, null);
  return value as Metadata;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
