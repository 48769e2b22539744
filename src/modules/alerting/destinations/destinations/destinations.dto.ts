import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  NestedField,
  ObjectField,
  TextField,
  UrlField,
  UuidField,
  NameField,
} from '../../../../platform/http/validation/index.js';
import { type ProjectMemberScope, roleAtLeast } from '../../../access/index.js';
import { TEMPLATE_DOCUMENT } from '../../../delivery/templates/index.js';
import { maskedAddress } from '../drivers/destination-driver.js';
import { DESTINATION_TYPES, type DestinationType } from '../drivers/destination-drivers.js';
import type { AlertDestination } from './destination.entity.js';

const PROJECT = 'Left out of body and query: the project you have selected';
const TARGET = 'http or https, leading to a public address';
const SECRET_LENGTH = { min: 1, max: 500 };

export class ProjectOfDestinationsQuery {
  @UuidField({ optional: true, description: PROJECT })
  project_id?: string;
}

export class CreateDestinationRequest {
  @UuidField({ optional: true, description: PROJECT })
  project_id?: string;

  @EnumField(DESTINATION_TYPES, { description: 'Whose format it takes' })
  type!: DestinationType;

  @NameField({ example: 'On call', description: 'Name of the destination' })
  name!: string;

  @UrlField({ secret: true, description: TARGET, example: 'https://hooks.example.com/alerts' })
  target_url!: string;

  @TextField({
    ...SECRET_LENGTH,
    optional: true,
    nullable: true,
    secret: true,
    description: 'Signs requests; never answered',
  })
  secret?: string | null;

  @BooleanField({ optional: true, default: true, description: 'False: it is switched off' })
  is_enabled!: boolean;

  @ObjectField({
    optional: true,
    nullable: true,
    document: TEMPLATE_DOCUMENT,
    description: 'Replaces the standard body. Webhooks only',
  })
  template?: Record<string, unknown> | null;
}

export class UpdateDestinationRequest {
  @EnumField(DESTINATION_TYPES, { optional: true, description: 'Cannot be changed: the type it has' })
  type?: DestinationType;

  @NameField({ optional: true, description: 'Name of the destination' })
  name?: string;

  @UrlField({ optional: true, secret: true, description: `${TARGET}. Of Slack, the masked address leaves it as it is` })
  target_url?: string;

  @TextField({
    ...SECRET_LENGTH,
    optional: true,
    nullable: true,
    secret: true,
    description: 'A new one; the previous one also signs for 24 hours. Null: requests are no longer signed',
  })
  secret?: string | null;

  @BooleanField({ optional: true, description: 'False switches it off' })
  is_enabled?: boolean;

  @ObjectField({
    optional: true,
    nullable: true,
    document: TEMPLATE_DOCUMENT,
    description: 'Replaces the standard body; null: the standard body is sent. Webhooks only',
  })
  template?: Record<string, unknown> | null;
}

export class DestinationResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @EnumField(DESTINATION_TYPES, { description: 'Whose format it takes' })
  type!: DestinationType;

  @TextField({ description: 'Name of the destination' })
  name!: string;

  @TextField({ description: 'Of Slack, and for roles below operator, the origin and `/***`' })
  target_url!: string;

  @BooleanField({ description: 'Whether requests are signed' })
  has_secret!: boolean;

  @BooleanField({ description: 'False: it is switched off' })
  is_enabled!: boolean;

  @ObjectField({
    nullable: true,
    document: TEMPLATE_DOCUMENT,
    description: 'Replaces the standard body; null: there is none',
  })
  template!: Record<string, unknown> | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ description: 'When it was last changed' })
  updated_at!: string;
}

export class DestinationTestResponse {
  @BooleanField({ description: 'Always true: a test that failed answers 502' })
  ok!: boolean;

  @NestedField(() => DestinationResponse, { description: 'The one that was tried' })
  destination!: DestinationResponse;

  @UuidField({ description: '`X-Service-Delivery-Id` of the request' })
  delivery_id!: string;

  @IntField({ nullable: true, description: 'HTTP status or SMTP reply; null: there was no answer' })
  response_code!: number | null;

  @TextField({ nullable: true, description: "Beginning of the answer's body, sanitized" })
  response_summary!: string | null;

  @IntField({ min: 0, description: 'How long it took, in milliseconds' })
  duration_ms!: number;

  @DateTimeField({ description: 'When it was tried' })
  tested_at!: string;
}

/** @param scope the role of the reader: only operators and admins see whole addresses, which may contain credentials */
export function destinationResponse(
  { role }: Pick<ProjectMemberScope, 'role'>,
  destination: AlertDestination,
): DestinationResponse {
  const { targetUrl } = destination;
  return {
    id: destination.id,
    project_id: destination.projectId,
    type: destination.type,
    name: destination.name,
    target_url: roleAtLeast(role, 'operator') ? targetUrl : maskedAddress(new URL(targetUrl)),
    has_secret: destination.secret !== null,
    is_enabled: destination.isEnabled,
    template: destination.template && { ...destination.template },
    created_at: destination.createdAt.toISOString(),
    updated_at: destination.updatedAt.toISOString(),
  };
}
