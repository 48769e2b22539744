import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { RawRequest } from '../../../../platform/http/inputs.js';
import {
  BandwidthExceeded,
  InvalidSignedUrl,
  ObjectNotFound,
  ObjectStorageUnavailable,
  PreconditionFailed,
  RangeNotSatisfiable,
} from '../storage.errors.js';
import { ContentService } from './content.service.js';
import { HeededHeaders, SignedInputs } from '../signed/signed-inputs.js';
import type { SignedQuery } from '../signed/url-signer.js';

const ANY = { '*/*': { schema: { type: 'string', format: 'binary' } } } as const;

@ApiTags('core')
@Controller('v1/core/objects/:object_id/content')
export class ObjectContentController {
  constructor(private readonly contents: ContentService) {}

  @Get()
  @Public('the signature of the address is looked at')
  @SignedInputs({ object_id: { type: 'string', format: 'uuid' } }, true)
  @HeededHeaders({
    Range: 'One range of bytes: `bytes=0-1023`, `bytes=1024-`, `bytes=-512`',
    'If-Match': 'Entity tags, or `*`',
    'If-None-Match': 'Entity tags, or `*`',
    'If-Modified-Since': 'HTTP date',
    'If-Unmodified-Since': 'HTTP date',
    'If-Range': 'An entity tag or the exact date of the content; else all of it is sent',
  })
  @ApiResponse({ status: 206, description: 'A part of the content', content: ANY })
  @ApiResponse({ status: 304, description: 'Not modified, no body' })
  @Documented({
    operationId: 'downloadObject',
    summary: 'Content for a signed URL, with Range',
    description:
      'As GET /v1/core/objects/{object_id} has made it. One range of bytes is answered with 206, conditional requests as RFC 9110 says; HEAD is answered too. Active content is an attachment. Pages of any origin may read it, without credentials.',
    answer: { mediaType: '*/*', description: 'The content' },
    headers: {
      ETag: 'Names the content',
      'Content-Range': 'Of a part of it (206)',
      'Content-Disposition': 'Whether it is to be saved, and as what',
    },
    errors: [
      InvalidSignedUrl,
      BandwidthExceeded,
      ObjectNotFound,
      PreconditionFailed,
      RangeNotSatisfiable,
      ObjectStorageUnavailable,
    ],
  })
  send(
    @Param('object_id') id: string,
    @Query() query: SignedQuery,
    @RawRequest() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.contents.send(id, query, request, response);
  }
}
