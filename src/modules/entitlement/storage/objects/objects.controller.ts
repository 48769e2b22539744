import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, BodyStream, Headers, IdParam, Query, RawRequest, Scope } from '../../../../platform/http/inputs.js';
import { RequestTimeout, type StreamedBody } from '../../../../platform/http/streamed-body.js';
import { ProjectIsArchived } from '../../../tenancy/projects/index.js';
import { BillingInactive, BlockedByBilling } from '../../quotas/index.js';
import {
  FileTooLarge,
  ObjectExists,
  ObjectNotFound,
  ObjectStorageUnavailable,
  PreconditionFailed,
  StorageQuotaExceeded,
} from '../storage.errors.js';
import { ObjectIntakeService } from './object-intake.service.js';
import { ObjectLinkService } from './object-link.service.js';
import { ObjectListService } from './object-list.service.js';
import {
  ChangeObjectRequest,
  IfMatchHeader,
  LinkedObjectResponse,
  ListObjectsQuery,
  ObjectLinkQuery,
  ObjectPageResponse,
  ObjectResponse,
  UploadHeaders,
  UploadObjectQuery,
} from './objects.dto.js';
import { ProjectOfObject } from './objects.repository.js';
import { ObjectsService } from './objects.service.js';

@ApiTags('core')
@Controller('v1/core/objects')
export class ObjectsController {
  constructor(
    private readonly objects: ObjectsService,
    private readonly lists: ObjectListService,
    private readonly links: ObjectLinkService,
    private readonly intake: ObjectIntakeService,
  ) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listObjects',
    summary: 'Objects by prefix',
    description:
      'In the order of the bytes of their keys. With a delimiter, keys that go on behind the next `/` stand under their common beginning. An object that is renamed between two pages may come twice or not at all; nothing else is lost or repeated.',
    answer: ObjectPageResponse,
  })
  list(@Scope() scope: ProjectMemberScope, @Query() query: ListObjectsQuery): Promise<ObjectPageResponse> {
    return this.lists.page(scope, query);
  }

  @Post()
  @Requires({ project: 'operator' })
  @Documented({
    operationId: 'uploadObject',
    summary: 'Upload a small object in one request',
    description:
      'The body is the content, of any media type. As `multipart/form-data` the first part named `file` is; fields before it may be `key`, `content_type` and `metadata` (JSON text), and without a key the file name is taken. `If-None-Match: *` and `If-Match` are heeded. Larger objects come in parts (POST /v1/core/uploads).',
    status: 201,
    answer: ObjectResponse,
    errors: [
      ObjectExists,
      PreconditionFailed,
      FileTooLarge,
      StorageQuotaExceeded,
      ProjectIsArchived,
      BillingInactive,
      BlockedByBilling,
      RequestTimeout,
      ObjectStorageUnavailable,
    ],
  })
  upload(
    @Scope() scope: ProjectMemberScope,
    @Query() query: UploadObjectQuery,
    @Headers() headers: UploadHeaders,
    @BodyStream({
      content: {
        'application/octet-stream': {
          type: 'string',
          format: 'binary',
          description: 'The content; any media type but multipart is kept with it',
        },
        'multipart/form-data': {
          type: 'object',
          required: ['file'],
          properties: {
            key: { type: 'string', maxLength: 1024 },
            content_type: { type: 'string', maxLength: 255 },
            metadata: { type: 'string', description: 'An object in JSON' },
            file: { type: 'string', format: 'binary', description: 'The content; fields behind it are passed over' },
          },
        },
      },
    })
    body: StreamedBody,
    @RawRequest() request: Request,
  ): Promise<ObjectResponse> {
    return this.intake.take(scope, { query, headers, contentType: request.headers['content-type'], body });
  }

  @Get(':object_id')
  @Requires({ project: 'viewer', via: ProjectOfObject })
  @Documented({
    operationId: 'getObject',
    summary: 'Metadata with a short-lived download URL',
    description:
      'Whoever has the URL gets the present content until it expires. It is null while credential encryption is switched off.',
    answer: LinkedObjectResponse,
    errors: [ObjectNotFound],
  })
  get(
    @Scope() scope: ProjectMemberScope,
    @IdParam('object_id') id: string,
    @Query() query: ObjectLinkQuery,
    @RawRequest() request: Request,
  ): Promise<LinkedObjectResponse> {
    return this.links.get(scope, id, query, request);
  }

  @Patch(':object_id')
  @Requires({ project: 'operator', via: ProjectOfObject })
  @Documented({
    operationId: 'updateObject',
    summary: 'Rename or change metadata',
    description: 'What is left out stays. `If-Match` is heeded. The content, and with it `etag`, is not touched.',
    answer: ObjectResponse,
    errors: [ObjectNotFound, ObjectExists, PreconditionFailed, ProjectIsArchived, BillingInactive, BlockedByBilling],
  })
  change(
    @Scope() scope: ProjectMemberScope,
    @IdParam('object_id') id: string,
    @Headers() { ifMatch }: IfMatchHeader,
    @Body() body: ChangeObjectRequest,
  ): Promise<ObjectResponse> {
    return this.objects.change(scope, id, body, ifMatch);
  }

  @Delete(':object_id')
  @Requires({ project: 'admin', via: ProjectOfObject })
  @Documented({
    operationId: 'deleteObject',
    summary: 'Delete (204)',
    description: '`If-Match` is heeded. Answers that are being sent go on.',
    status: 204,
    errors: [ObjectNotFound, PreconditionFailed],
  })
  remove(
    @Scope() scope: ProjectMemberScope,
    @IdParam('object_id') id: string,
    @Headers() { ifMatch }: IfMatchHeader,
  ): Promise<void> {
    return this.objects.remove(scope, id, ifMatch);
  }
}
