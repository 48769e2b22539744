import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  TextField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import type { DeliveryAttempt } from '../attempts/attempt.entity.js';
import { ATTEMPT_STATUSES, type AttemptStatus } from '../attempts/attempt-states.js';

export class ChannelTestResponse {
  @BooleanField({ description: 'Whether the receiver has taken it' })
  ok!: boolean;

  @UuidField({ description: 'The delivery channel' })
  channel_id!: string;

  @UuidField({ description: 'The attempt, as in the history' })
  delivery_id!: string;

  @EnumField(ATTEMPT_STATUSES, { description: 'How the test ended' })
  status!: AttemptStatus;

  @IntField({ nullable: true, description: 'HTTP status or SMTP reply' })
  response_code!: number | null;

  @TextField({ nullable: true, description: "Beginning of the answer's body, sanitized" })
  response_summary!: string | null;

  @TextField({ nullable: true, description: 'Sanitized' })
  failure_reason!: string | null;

  @DateTimeField({ description: 'When it was tried' })
  tested_at!: string;
}

export function channelTestResponse(attempt: DeliveryAttempt): ChannelTestResponse {
  return {
    ok: attempt.status === 'sent',
    channel_id: attempt.channelId,
    delivery_id: attempt.id,
    status: attempt.status,
    response_code: attempt.responseCode,
    response_summary: attempt.responseSummary,
    failure_reason: attempt.failureReason,
    tested_at: (attempt.completedAt ?? attempt.createdAt).toISOString(),
  };
}
