import { DateTimeField, ObjectField, TextField, UuidField } from '../../../platform/http/validation/index.js';
import type { AuditEvent } from './audit-event.entity.js';

export class AuditEventResponse {
  @UuidField({})
  id!: string;

  @UuidField({ nullable: true, description: 'Null: the service itself or a provider acted' })
  actor_user_id!: string | null;

  @UuidField({ nullable: true, description: 'The organization; null: none' })
  organization_id!: string | null;

  @UuidField({ nullable: true, description: 'The project; null: none' })
  project_id!: string | null;

  @TextField({ example: 'project.archived', description: 'What was done to what' })
  action!: string;

  @TextField({ example: 'project', description: 'What was acted on' })
  target_type!: string;

  @TextField({ nullable: true, description: 'Which one; null: none' })
  target_id!: string | null;

  @ObjectField({ description: 'What else there is to know, by name' })
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
