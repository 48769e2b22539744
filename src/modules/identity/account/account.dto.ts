import {
  DateTimeField,
  EmailField,
  IntField,
  ListField,
  nested,
  ObjectField,
  TextField,
  UuidField,
  NameField,
} from '../../../platform/http/fields/index.js';
import { PageResponse } from '../../../platform/http/page.dto.js';
import { FactorProofRequest } from '../second-factors/index.js';
import type { SecurityEvent } from '../security-events/index.js';
import { NewPasswordField } from '../users/index.js';

export class UpdateAccountRequest {
  @NameField({ optional: true, nullable: true, description: 'Null takes the name away' })
  name?: string | null;
}

export class ChangePasswordRequest extends FactorProofRequest {
  @NewPasswordField()
  password!: string;
}

export class RequestEmailChangeRequest extends FactorProofRequest {
  @EmailField({ description: 'The new address' })
  email!: string;
}

export class ConfirmEmailChangeRequest {
  @TextField({ min: 1, max: 512, secret: true, description: 'The token of the mailed link' })
  token!: string;
}

export class ConfirmEmailChangeResponse {
  @TextField({})
  message!: string;

  @EmailField({})
  email!: string;
}

export class DeleteAccountRequest extends FactorProofRequest {}

export class SecurityEventsQuery {
  @IntField({ min: 1, max: 100, optional: true, default: 50 })
  limit!: number;

  @IntField({ min: 0, max: 1_000_000, optional: true, default: 0 })
  offset!: number;
}

export class SecurityEventResponse {
  @UuidField({})
  id!: string;

  @TextField({ example: 'signed_in_new_device' })
  type!: string;

  @TextField({ nullable: true, example: '203.0.113.7' })
  ip!: string | null;

  @TextField({ nullable: true })
  user_agent!: string | null;

  @DateTimeField({})
  created_at!: string;

  @ObjectField({})
  detail!: Record<string, unknown>;
}

export class SecurityEventsResponse extends PageResponse {
  @ListField(nested(() => SecurityEventResponse), {})
  items!: SecurityEventResponse[];
}

export function securityEventResponse(event: SecurityEvent): SecurityEventResponse {
  return {
    id: event.id,
    type: event.type,
    ip: event.ip,
    user_agent: event.userAgent,
    created_at: event.createdAt.toISOString(),
    detail: event.detail,
  };
}
