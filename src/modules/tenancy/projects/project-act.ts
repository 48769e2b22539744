import type { ProjectMemberScope } from '../../access/index.js';
import type { AuditedAct } from '../../identity/audit/index.js';

/** Returns the audit event of a member's operation on the project itself, or on the given target within the project. */
export function projectAct(
  scope: Pick<ProjectMemberScope, 'userId' | 'organizationId' | 'projectId'>,
  action: string,
  detail: Readonly<Record<string, unknown>>,
  target: { readonly type: string; readonly id: string } = { type: 'project', id: scope.projectId },
): AuditedAct {
  const { userId: actorUserId, organizationId, projectId } = scope;
  return { actorUserId, organizationId, projectId, action, targetType: target.type, targetId: target.id, detail };
}
