import { Controller, Delete, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { type ProjectMemberScope, Public, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, BodyStream, IdParam, RawRequest, Scope } from '../../../../platform/http/inputs.js';
import { RequestTimeout, type StreamedBody } from '../../../../platform/http/streamed-body.js';
import { ProjectIsArchived } from '../../../tenancy/projects/index.js';
import { BillingInactive, BlockedByBilling } from '../../quotas/index.js';
import { ObjectResponse } from '../objects/objects.dto.js';
import { expectedDigests } from '../objects/measured-content.js';
import { HeededHeaders, SignedInputs } from '../signed/signed-inputs.js';
import { type SignedQuery, UrlSigner } from '../signed/url-signer.js';
import {
  FileTooLarge,
  InvalidSignedUrl,
  ObjectExists,
  ObjectNotFound,
  ObjectStorageUnavailable,
  PartMismatch,
  SignedUrlsUnavailable,
  StorageQuotaExceeded,
  TooManyUploads,
  UploadCompleted,
  UploadIncomplete,
  UploadNotFound,
} from '../storage.errors.js';
import { UploadAbortionService } from './upload-abortion.service.js';
import { UploadCompletionService } from './upload-completion.service.js';
import { UploadPartsService } from './upload-parts.service.js';
import { BeginUploadRequest, CompleteUploadRequest, UploadResponse, WrittenPartResponse } from './uploads.dto.js';
import { ProjectOfUpload } from './uploads.repository.js';
import { UploadsService } from './uploads.service.js';

const REFUSED_TO_STORE = [ProjectIsArchived, BillingInactive, BlockedByBilling, ObjectStorageUnavailable];

@ApiTags('core')
@Controller('v1/core/uploads')
export class UploadsController {
  constructor(
    private readonly uploads: UploadsService,
    private readonly parts: UploadPartsService,
    private readonly completion: UploadCompletionService,
    private readonly abortion: UploadAbortionService,
    private readonly signer: UrlSigner,
  ) {}

  @Post()
  @Requires({ project: 'operator' })
  @Documented({
    operationId: 'createUpload',
    summary: 'Begin a multipart upload',
    description:
      'All of `size` is set aside. Each part has an address that takes its bytes by PUT without credentials for a day, in any order, at the same time and again.',
    status: 201,
    answer: UploadResponse,
    errors: [
      FileTooLarge,
      ObjectExists,
      TooManyUploads,
      StorageQuotaExceeded,
      SignedUrlsUnavailable,
      ...REFUSED_TO_STORE,
    ],
  })
  begin(
    @Scope() scope: ProjectMemberScope,
    @Body() body: BeginUploadRequest,
    @RawRequest() request: Request,
  ): Promise<UploadResponse> {
    return this.uploads.begin(scope, body, request);
  }

  @Put(':upload_id/parts/:part_number')
  @Public('the signature of the address is looked at')
  @SignedInputs({ upload_id: { type: 'string', format: 'uuid' }, part_number: { type: 'integer', minimum: 1 } }, false)
  @HeededHeaders({
    'Content-MD5': 'Base64; checked against the part',
    'Content-Digest': 'RFC 9530, `sha-256`; checked against the part',
  })
  @Documented({
    operationId: 'uploadPart',
    summary: 'Upload a part to a signed URL',
    description:
      'The raw bytes, exactly as many as the part has. Answered once they are durable; the last whole one of several holds. `Content-MD5` and `Content-Digest` are checked.',
    answer: WrittenPartResponse,
    headers: { ETag: 'Names the part: its `etag` in quotes' },
    errors: [InvalidSignedUrl, UploadNotFound, UploadCompleted, RequestTimeout, ...REFUSED_TO_STORE],
  })
  async write(
    @Param('upload_id') id: string,
    @Param('part_number') number: string,
    @Query() query: SignedQuery,
    @BodyStream({
      content: {
        'application/octet-stream': { type: 'string', format: 'binary', description: 'The bytes of the part' },
      },
    })
    body: StreamedBody,
    @RawRequest() request: Request,
  ): Promise<WrittenPartResponse> {
    this.signer.verify('PUT', request.path, query);
    const { 'content-md5': md5, 'content-digest': digest } = request.headers;
    const part = await this.parts.write(
      id,
      Number(number),
      body,
      expectedDigests(md5 as string | undefined, digest as string | undefined),
    );
    request.res?.setHeader('ETag', `"${part.etag}"`);
    return part;
  }

  @Post(':upload_id/complete')
  @Requires({ project: 'operator', via: ProjectOfUpload })
  @Documented({
    operationId: 'completeUpload',
    summary: 'Complete',
    description:
      'Of two at once one completes, and both get the object; so does every repeat within the day, while the object exists.',
    answer: ObjectResponse,
    errors: [UploadNotFound, ObjectNotFound, UploadIncomplete, PartMismatch, ObjectExists, ...REFUSED_TO_STORE],
  })
  complete(
    @Scope() scope: ProjectMemberScope,
    @IdParam('upload_id') id: string,
    @Body() { parts }: CompleteUploadRequest,
  ): Promise<ObjectResponse> {
    return this.completion.complete(scope, id, parts);
  }

  @Delete(':upload_id')
  @Requires({ project: 'operator', via: ProjectOfUpload })
  @Documented({
    operationId: 'abortUpload',
    summary: 'Abort (204)',
    description: 'Its parts go, and what was set aside is given back.',
    status: 204,
    errors: [UploadNotFound, UploadCompleted],
  })
  abort(@Scope() scope: ProjectMemberScope, @IdParam('upload_id') id: string): Promise<void> {
    return this.abortion.abort(scope, id);
  }
}
