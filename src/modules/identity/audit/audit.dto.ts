import { DateTimeField, ObjectField, TextField, UuidField } from '../../../platform/http/fields/index.js';
import type { AuditEvent } from './audit-event.entity.js';

export class AuditEventResponse {
  @UuidField({})
  id!: string;

  @UuidField({ nullable: true, description: 'Null: the service itself or a provider acted' })
  actor_user_id!: string | null;

  @UuidField({ nullable: true })
  organization_id!: string | null;

  @UuidField({ nullable: true })
  project_id!: string | null;

  @TextField({ example: 'project.archived' })
  action!: string;

  @TextField({ example: 'project' })
  target_type!: string;

  @TextField({ nullable: true })
  target_id!: string | null;

  @ObjectField({})
  detail!: Record<string, unknown>;

  @TextField({ nullable: true, description: 'X-Request-ID of the request that acted' })
  request_id!: string | null;

  @DateTimeField({})
  created_at!: string;
}

export function auditEventResponse(event: AuditEvent): AuditEventResponse {
  return {
    id: event.id,
    actor_user_id: event.actorUserId,
    organization_id: event.organizationId,
    project_id: event.projectId,
    action: event.action,
    target_type: event.targetType,
    target_id: event.targetId,
    detail: event.detail,
    request_id: event.requestId,
    created_at: event.createdAt.toISOString(),
  };
}
