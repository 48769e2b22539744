import {
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  nested,
  TextField,
  UuidField,
} from '../../../platform/http/validation/index.js';
import { PageResponse } from '../../../platform/http/page.dto.js';
import { FAILURE_REASONS, type FailureReason, type RecordedFailure } from '../ingestion-failures/index.js';

export class SourceFailuresQuery {
  @IntField({ min: 1, max: 500, optional: true, default: 50, description: 'How many a page has at most' })
  limit!: number;

  @IntField({ min: 0, max: 1_000_000_000, optional: true, default: 0, description: 'How many came before this page' })
  offset!: number;
}

export class SourceFailureResponse {
  @UuidField({ nullable: true, description: 'The API key; null: a webhook' })
  api_key_id!: string | null;

  @EnumField(FAILURE_REASONS, { example: 'source_disabled', description: 'Why, for programs' })
  reason_code!: FailureReason;

  @IntField({ example: 403, description: 'HTTP status of the refusal' })
  status_code!: number;

  @DateTimeField({ description: 'The latest of them' })
  occurred_at!: string;

  @TextField({ nullable: true, description: 'X-Request-ID of the latest' })
  request_id!: string | null;

  @IntField({ min: 1, description: 'How often the sender was refused for this reason in that UTC hour' })
  count!: number;
}

export class SourceFailuresResponse extends PageResponse {
  @ListField(nested(() => SourceFailureResponse), { description: 'Refusals of this page' })
  items!: SourceFailureResponse[];
}

export function sourceFailureResponse(failure: RecordedFailure): SourceFailureResponse {
  return {
    api_key_id: failure.apiKeyId,
    reason_code: failure.reasonCode,
    status_code: failure.statusCode,
    occurred_at: failure.occurredAt.toISOString(),
    request_id: failure.requestId,
    count: failure.count,
  };
}
