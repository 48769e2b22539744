import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiKey, type ApiKeyScope } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import {
  BodyBytes,
  type CheckedRequest,
  Headers,
  RawRequest,
  RequestId,
  Scope,
} from '../../../platform/http/inputs.js';
import { IngestHeaders } from '../../events/ingestion/index.js';
import { INTAKE_ERRORS, IntakeResponse, MAX_INTAKE_BYTES } from '../core/index.js';
import { BinaryModeHeaders, CLOUD_EVENTS_BODY } from './cloud-events-document.js';
import { CloudEventsService } from './cloud-events.service.js';

@ApiTags('intake')
@Controller('intake')
export class CloudEventsController {
  constructor(private readonly events: CloudEventsService) {}

  @Post('cloudevents')
  @ApiKey('events:write')
  @BinaryModeHeaders()
  @Documented({
    operationId: 'sendCloudEvents',
    summary: 'Send CloudEvents 1.0',
    description:
      'Takes binary mode (headers `ce-*`), structured mode and batches of up to 1,000 events or 5 MiB. An event with the `source` and `id` of an earlier one of the project is stored once in 24 hours, and is answered as a duplicate.',
    answer: IntakeResponse,
    errors: INTAKE_ERRORS,
  })
  take(
    @Scope() scope: ApiKeyScope,
    @Headers() { idempotency_key: key }: IngestHeaders,
    @BodyBytes({ maxBytes: MAX_INTAKE_BYTES, content: CLOUD_EVENTS_BODY }) body: Buffer,
    @RawRequest() request: CheckedRequest,
    @RequestId() requestId: string,
  ): Promise<IntakeResponse> {
    return this.events.take({ scope, key, body, request, requestId });
  }
}
