import {
  BooleanField,
  DateTimeField,
  EmailField,
  EnumField,
  IntField,
  ListField,
  namedSchema,
  nested,
  ObjectField,
  TextField,
  UuidField,
  NameField,
} from '../../../platform/http/validation/index.js';
import { PageResponse } from '../../../platform/http/page.dto.js';
import { FactorProofRequest } from '../second-factors/index.js';
import { SECURITY_EVENT_TYPES, type SecurityEvent } from '../security-events/index.js';
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

export class ConfirmedEmailResponse {
  @TextField({ description: 'What was done, for people' })
  message!: string;

  @EmailField({ description: 'The new address of the account' })
  email!: string;
}

export class DeleteAccountRequest extends FactorProofRequest {
  @BooleanField({
    optional: true,
    default: false,
    description:
      'Deletes the organizations that the account owns too, with their projects, events and objects: those without other members and without a running subscription. Where one has to stay, nothing is deleted',
  })
  delete_organizations!: boolean;
}

export class SecurityEventsQuery {
  @IntField({ min: 1, max: 100, optional: true, default: 50, description: 'How many a page has at most' })
  limit!: number;

  @IntField({ min: 0, max: 1_000_000, optional: true, default: 0, description: 'How many came before this page' })
  offset!: number;
}

export class SecurityEventResponse {
  @UuidField({})
  id!: string;

  @EnumField(SECURITY_EVENT_TYPES, {
    document: namedSchema('SecurityEventType', { SecurityEventType: { type: 'string', enum: SECURITY_EVENT_TYPES } }),
    description: 'What was done, or tried',
  })
  type!: string;

  @TextField({ nullable: true, example: '203.0.113.7', description: 'Address of the client; null: unknown' })
  ip!: string | null;

  @TextField({ nullable: true, description: 'What the client called itself' })
  user_agent!: string | null;

  @DateTimeField({})
  created_at!: string;

  @ObjectField({ description: 'What else there is to know, by name' })
  detail!: Record<string, unknown>;
}

export class SecurityEventsResponse extends PageResponse {
  @ListField(nested(() => SecurityEventResponse), { description: 'Security events of this page' })
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
