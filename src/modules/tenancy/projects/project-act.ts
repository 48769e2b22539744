import type { ProjectMemberScope } from '../../access/index.js';
import type { AuditedAct } from '../../identity/audit/index.js';

/** An act of a member on the project itself, or on something of it when a target is named. */
export function projectAct(
  scope: Pick<ProjectMemberScope, 'userId' | 'organizationId' | 'projectId'>,
  action: string,
  detail: Readonly<Record<string, unknown>>,
  target: { readonly type: string; readonly id: string } = { type: 'project', id: scope.projectId },
): AuditedAct {
  const { userId: actorUserId, organizationId, projectId } = scope;
  return { actorUserId, organizationId, projectId, action, targetType: target.type, targetId: target.id, detail };
}
