import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiKey, type ApiKeyScope, MaskRefusals, type ProjectMemberScope, Requires } from '../../access/index.js';
import { Direct } from '../../../platform/http/direct-routes.js';
import { ServiceOverloaded } from '../../../platform/http/domain-error.js';
import { Documented } from '../../../platform/http/documented.js';
import {
  AnswerHead,
  Body,
  BodyTaken,
  Headers,
  LinesOf,
  RequestId,
  Scope,
  TraceOf,
} from '../../../platform/http/inputs.js';
import type { Traceparent } from '../../../platform/telemetry/index.js';
import type { WrittenJson } from '../../../platform/http/written-json.js';
import { INGESTION_KEY_ERRORS } from '../../entitlement/api-keys/index.js';
import { ProjectIsArchived } from '../../tenancy/projects/index.js';
import {
  BillingInactive,
  BlockedByBilling,
  DailyLimitExceeded,
  MonthlyEventsExceeded,
  MonthlyRequestsExceeded,
} from '../../entitlement/quotas/index.js';
import { AllEventsOverDailyLimit, AllEventsOverQuota, AllEventsRefused } from './all-events-refused.js';
import { BatchIngestService } from './batch-ingest.service.js';
import { MOST_BYTES, TooManyEvents } from './event-lines.js';
import { EventRecorder } from './event-recorder.js';
import { EventRefusalMask } from './event-refusal-mask.js';
import { IngestBatchResponse, IngestHeaders, IngestResponse, RecordEventRequest } from './ingest.dto.js';
import { IdempotencyKeyReused } from './event-admission.service.js';
import { IdempotencyKeyInProgress } from '../event-store/index.js';
import type { IngestAnswer } from './ingest-answer.js';
import { IngestService } from './ingest.service.js';
import { EventRecord, IngestRequest } from '../fields/index.js';
import { eventRecord } from '../reads/index.js';

const BILLING_ERRORS = [BillingInactive, MonthlyEventsExceeded, MonthlyRequestsExceeded, BlockedByBilling];

const INGEST_DESCRIPTION = `Takes one event as JSON, or up to 1,000 as lines of \`application/x-ndjson\`.

- \`persisted_synchronously\` true: the answer 200 means that the event is committed. False (\`ingest_mode\` queued): it is safe in the queue and is stored within moments.
- Unknown fields are ignored; a repeated JSON key takes its last value.
- An event that takes more than twice the largest body (2 MiB unless configured) once each number has all its digits, as reads give it, is refused with 422.
- Refusals do not repeat what the project redacts.
- Refusals of billing carry \`X-Service-Block-Reason\` and say in \`X-Service-*\` headers what was reached; the daily limit of a source is 429 \`Daily limit exceeded\` with \`Retry-After\` until midnight UTC.
- A batch is one request and as many events as were accepted. Each line that is not blank has its result; \`detail\` is what a request of its own would be answered. An allowance that ends inside the batch refuses the rest; one that was used up before refuses them all. A batch without an accepted event is answered 403 or 429 where the same quota or limit refuses all its events, else 422, with the same members and \`detail\`; nothing is kept for its \`Idempotency-Key\`. More than 1,000 events or 5 MiB are 413.
- \`Idempotency-Key\` covers the whole request. While a request with the key is under way another one is refused with 409.`;

@ApiTags('events')
@Controller('v1/events')
export class IngestController {
  constructor(
    private readonly ingestion: IngestService,
    private readonly batches: BatchIngestService,
    private readonly recorder: EventRecorder,
  ) {}

  @Post('ingest')
  @Direct()
  @ApiKey('events:write')
  @MaskRefusals(EventRefusalMask)
  @Documented({
    operationId: 'ingestEvent',
    summary: 'Ingest one event',
    description: INGEST_DESCRIPTION,
    answer: { oneOf: [IngestResponse, IngestBatchResponse] },
    errors: [
      ...INGESTION_KEY_ERRORS,
      ProjectIsArchived,
      ...BILLING_ERRORS,
      DailyLimitExceeded,
      IdempotencyKeyReused,
      IdempotencyKeyInProgress,
      TooManyEvents,
      AllEventsRefused,
      AllEventsOverQuota,
      AllEventsOverDailyLimit,
      ServiceOverloaded,
    ],
  })
  ingest(
    @Scope() scope: ApiKeyScope,
    @Headers() { idempotency_key: key }: IngestHeaders,
    @Body({ exactNumbers: true }) body: IngestRequest,
    @LinesOf({ maxBytes: MOST_BYTES, description: 'Up to 1,000 ingestion bodies, one a line, at most 5 MiB' })
    lines: Buffer | undefined,
    @BodyTaken() bodyTaken: () => void,
    @RequestId() requestId: string,
    @TraceOf() traceparent: Traceparent | undefined,
    @AnswerHead() response: Response,
  ): Promise<WrittenJson<IngestResponse | IngestBatchResponse>> {
    return this.withMode<IngestResponse | IngestBatchResponse>(
      response,
      lines === undefined
        ? this.ingestion.ingest(scope, key, body, bodyTaken, { requestId, traceparent })
        : this.batches.ingest(scope, key, lines, { requestId, traceparent }),
    );
  }

  @Post()
  @Requires({ project: 'operator' })
  @MaskRefusals(EventRefusalMask)
  @Documented({
    operationId: 'recordEvent',
    summary: 'Record an event from the dashboard',
    description: 'Counts in the quotas of the organization like every other event. It belongs to no key and no source.',
    status: 201,
    answer: EventRecord,
    errors: [ProjectIsArchived, ...BILLING_ERRORS, ServiceOverloaded],
  })
  record(
    @Scope() scope: ProjectMemberScope,
    @Body({ exactNumbers: true }) body: RecordEventRequest,
    @BodyTaken() bodyTaken: () => void,
  ): Promise<WrittenJson<EventRecord>> {
    return this.recorder.record({ ...scope, sourceId: null }, body, bodyTaken).then(eventRecord);
  }

  private async withMode<Answer>(
    response: Response,
    ingested: Promise<IngestAnswer<Answer>>,
  ): Promise<WrittenJson<Answer>> {
    const { mode, answer } = await ingested;
    response.setHeader('X-Service-Ingest-Mode', mode);
    response.setHeader('X-Service-Persisted-Synchronously', String(mode !== 'queued'));
    return answer;
  }
}
