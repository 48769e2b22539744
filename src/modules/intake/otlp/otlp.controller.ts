import { Controller, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiKey, type ApiKeyScope } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { BodyBytes, type CheckedRequest, Query, RawRequest, Scope } from '../../../platform/http/inputs.js';
import { ServiceOverloaded } from '../../../platform/http/domain-error.js';
import { INGESTION_KEY_ERRORS } from '../../entitlement/api-keys/index.js';
import { MAX_INTAKE_BYTES, STORE_ERRORS } from '../core/index.js';
import { TooManyRecords, UndecodableBody } from './limits.js';
import { JSON_TYPE, PROTOBUF, sendTaken } from './otlp-answer.js';
import { LOGS, METRICS, OTLP_ERRORS, otlpAnswer, otlpBody, TRACES } from './otlp-document.js';
import { OtlpTracesQuery } from './otlp.dto.js';
import { OtlpService } from './otlp.service.js';

const BODY = { maxBytes: MAX_INTAKE_BYTES, mediaTypes: [PROTOBUF, JSON_TYPE] };
const ERRORS = [...INGESTION_KEY_ERRORS, ...STORE_ERRORS, UndecodableBody, TooManyRecords];
const LIMITS =
  'Takes up to 10,000 records or 5 MiB in protobuf or JSON. A body that repeats an earlier one of the same key within 24 hours, byte for byte, is answered alike and stored once. Errors are `google.rpc.Status`.';

@ApiTags('intake')
@Controller('intake/otlp/v1')
export class OtlpController {
  constructor(private readonly otlp: OtlpService) {}

  @Post('logs')
  @ApiKey('events:write')
  @Documented({
    operationId: 'exportLogs',
    summary: 'Send logs by OTLP',
    description: `Each log record is an event. ${LIMITS}`,
    answer: otlpAnswer(LOGS),
    errors: ERRORS,
    errorForm: OTLP_ERRORS,
  })
  async logs(
    @Scope() scope: ApiKeyScope,
    @BodyBytes({ ...BODY, content: otlpBody(LOGS) }) bytes: Buffer,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    sendTaken(response, 'logs', await this.otlp.logs({ scope, bytes, request }));
  }

  @Post('traces')
  @ApiKey('events:write')
  @Documented({
    operationId: 'exportTraces',
    summary: 'Send traces by OTLP',
    description: `Each span of a served request is an event, and each exception of any span. ${LIMITS}`,
    answer: otlpAnswer(TRACES),
    errors: ERRORS,
    errorForm: OTLP_ERRORS,
  })
  async traces(
    @Scope() scope: ApiKeyScope,
    @Query() { spans }: OtlpTracesQuery,
    @BodyBytes({ ...BODY, content: otlpBody(TRACES) }) bytes: Buffer,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    sendTaken(response, 'traces', await this.otlp.traces({ scope, bytes, request }, spans === 'all'));
  }

  @Post('metrics')
  @ApiKey('events:write')
  @Documented({
    operationId: 'exportMetrics',
    summary: 'Send metrics by OTLP',
    description: 'Metrics are not stored. The answer is 200 and rejects all points.',
    answer: otlpAnswer(METRICS),
    errors: [...INGESTION_KEY_ERRORS, UndecodableBody, ServiceOverloaded],
    errorForm: OTLP_ERRORS,
  })
  async metrics(
    @Scope() scope: ApiKeyScope,
    @BodyBytes({ ...BODY, content: otlpBody(METRICS) }) bytes: Buffer,
    @RawRequest() request: CheckedRequest,
    @Res() response: Response,
  ): Promise<void> {
    sendTaken(response, 'metrics', await this.otlp.metrics({ scope, bytes, request }));
  }
}
