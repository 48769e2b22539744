import { describe, expect, it } from '@jest/globals';
import { InsufficientProjectRole, type Role, ROLES } from '../../../access/index.js';
import { GIVEN_ROLES, type MemberChange, refusalOf } from './member-rules.js';
import { ProjectMemberNotFound, RoleFollowsOrganization } from './project-members.errors.js';

const rank = (role: Role): number => ROLES.indexOf(role);
const NEW_ROLES = [...GIVEN_ROLES, null];

/**
 * Every change of every member by every role. Owners and admins of the organization have that role in the project, too.
 */
const CHANGES: MemberChange[] = ROLES.flatMap((callerRole) =>
  ROLES.flatMap((targetOrganizationRole) =>
    (rank(targetOrganizationRole) >= rank('admin')
      ? [targetOrganizationRole]
      : [null, 'viewer' as const, 'member' as const, 'operator' as const, 'admin' as const]
    ).flatMap((targetRole) =>
      NEW_ROLES.map((newRole) => ({ callerRole, targetOrganizationRole, targetRole, newRole })),
    ),
  ),
);

describe('a change of a project member', () => {
  const where = (matches: (change: MemberChange) => boolean) => CHANGES.filter(matches);
  const outcomes = (changes: MemberChange[]) => new Set(changes.map(refusalOf));
  const byAdmin = ({ callerRole }: MemberChange): boolean => rank(callerRole) >= rank('admin');

  it('has a case for each combination of roles', () => {
    expect(CHANGES).toHaveLength(5 * (3 * 5 + 2) * 5);
  });

  it('needs an admin or the owner', () => {
    expect(outcomes(where((change) => !byAdmin(change)))).toEqual(new Set([InsufficientProjectRole]));
  });

  it('fails when its member is not in the project', () => {
    expect(outcomes(where((change) => byAdmin(change) && change.targetRole === null))).toEqual(
      new Set([ProjectMemberNotFound]),
    );
  });

  it('keeps the role of an owner or admin of the organization', () => {
    const changes = where((change) => byAdmin(change) && rank(change.targetOrganizationRole) >= rank('admin'));
    for (const change of changes) {
      const isSame = change.newRole === change.targetOrganizationRole;
      expect([change, refusalOf(change)]).toEqual([change, isSame ? null : RoleFollowsOrganization]);
    }
  });

  it('is allowed for every other member', () => {
    const changes = where(
      (change) => byAdmin(change) && change.targetRole !== null && rank(change.targetOrganizationRole) < rank('admin'),
    );
    expect(outcomes(changes)).toEqual(new Set([null]));
  });

  it('raises nobody above the caller, and makes nobody an owner', () => {
    for (const { callerRole, newRole } of where((change) => refusalOf(change) === null && change.newRole !== null)) {
      expect(rank(newRole ?? 'owner')).toBeLessThanOrEqual(rank(callerRole));
      expect(newRole).not.toBe('owner');
    }
  });
});
