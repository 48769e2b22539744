import { Controller, Inject, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CONFIG, type Config } from '../../config/index.js';
import { ApiKey, type ApiKeyScope, type ProjectMemberScope, Requires } from '../../platform/access/index.js';
import { Documented } from '../../platform/http/documented.js';
import { Body, Headers, Scope } from '../../platform/http/inputs.js';
import { ApiKeyNotActive, InvalidApiKey, MissingWriteScope } from '../api-keys/index.js';
import { ProjectIsArchived } from '../projects/index.js';
import {
  BillingInactive,
  BlockedByBilling,
  MonthlyEventsExceeded,
  MonthlyRequestsExceeded,
} from '../quotas/index.js';
import { EventRecorder } from './event-recorder.js';
import { IngestHeaders, IngestRequest, IngestResponse, RecordEventRequest } from './ingest.dto.js';
import { IdempotencyKeyInProgress, IdempotencyKeyReused } from './ingest.errors.js';
import { IngestService } from './ingest.service.js';
import { EventRecord, eventRecord } from './reads/event-record.js';

const BILLING_ERRORS = [BillingInactive, MonthlyEventsExceeded, MonthlyRequestsExceeded, BlockedByBilling];

@ApiTags('events')
@Controller('v1/events')
export class IngestController {
  private readonly modeHeaders: Readonly<Record<string, string>>;

  constructor(
    private readonly ingestion: IngestService,
    private readonly recorder: EventRecorder,
    @Inject(CONFIG) { ingestion: { mode } }: Config,
  ) {
    this.modeHeaders = {
      'X-Service-Ingest-Mode': mode,
      'X-Service-Persisted-Synchronously': String(mode !== 'queued'),
    };
  }

  @Post('ingest')
  @ApiKey('events:write')
  @Documented({
    summary: 'Ingest one event',
    description: 'TODO',
    answer: IngestResponse,
    errors: [
      InvalidApiKey,
      ApiKeyNotActive,
      MissingWriteScope,
      ProjectIsArchived,
      ...BILLING_ERRORS,
      IdempotencyKeyReused,
      IdempotencyKeyInProgress,
    ],
  })
  ingest(
    @Scope() scope: ApiKeyScope,
    @Headers() { idempotency_key: key }: IngestHeaders,
    @Body() body: IngestRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<IngestResponse> {
    return this.withMode(response, this.ingestion.ingest(scope, key, body));
  }

  @Post()
  @Requires({ project: 'operator' })
  @Documented({
    summary: 'Record an event from the dashboard',
    description: 'Counts in the quotas of the organization like every other event. It belongs to no key and no source.',
    status: 201,
    answer: EventRecord,
    errors: [ProjectIsArchived, ...BILLING_ERRORS],
  })
  record(@Scope() scope: ProjectMemberScope, @Body() body: RecordEventRequest): Promise<EventRecord> {
    return this.recorder.record({ ...scope, sourceId: null }, body).then(eventRecord);
  }

  private async withMode<Answer>(response: Response, answer: Promise<Answer>): Promise<Answer> {
    const accepted = await answer;
    response.set(this.modeHeaders);
    return accepted;
  }
}
