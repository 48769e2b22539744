import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiKey, type ApiKeyScope } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import {
  BodyBytes,
  type CheckedRequest,
  Headers,
  Query,
  RawRequest,
  RequestId,
  Scope,
} from '../../../platform/http/inputs.js';
import { IngestHeaders } from '../../events/ingestion/index.js';
import { INTAKE_ERRORS, IntakeResponse, MAX_INTAKE_BYTES } from '../core/index.js';
import { JsonIntakeQuery } from './json-intake.dto.js';
import { JSON_BODY, JSON_MEDIA_TYPES, JsonIntakeService } from './json-intake.service.js';

@ApiTags('intake')
@Controller('intake')
export class JsonIntakeController {
  constructor(private readonly intake: JsonIntakeService) {}

  @Post('json')
  @ApiKey('events:write')
  @Documented({
    operationId: 'sendJson',
    summary: 'Send JSON of any shape',
    description:
      'Takes an object, a list or JSON lines: up to 1,000 events or 5 MiB. Type, source, time, message and severity are found under their usual names, and everything else becomes properties.',
    answer: IntakeResponse,
    errors: INTAKE_ERRORS,
  })
  take(
    @Scope() scope: ApiKeyScope,
    @Headers() { idempotency_key: key }: IngestHeaders,
    @Query() defaults: JsonIntakeQuery,
    @BodyBytes({ maxBytes: MAX_INTAKE_BYTES, mediaTypes: JSON_MEDIA_TYPES, content: JSON_BODY }) body: Buffer,
    @RawRequest() request: CheckedRequest,
    @RequestId() requestId: string,
  ): Promise<IntakeResponse> {
    return this.intake.take({ scope, key, defaults, body, request, requestId });
  }
}
