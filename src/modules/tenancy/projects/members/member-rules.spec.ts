import { describe, expect, it } from '@jest/globals';
import { InsufficientProjectRole, type Role, ROLES } from '../../../access/index.js';
import { GIVEN_ROLES, type MemberChange, refusalOf } from './member-rules.js';
import { ProjectMemberNotFound, RoleFollowsOrganization } from './project-members.errors.js';

const rank = (role: Role): number => ROLES.indexOf(role);
const NEW_ROLES = [...GIVEN_ROLES, null];

/** Every change of every member by everybody. Owners and admins of the organization are that in the project too. */
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

describe('changes of project members, for every pair of roles', () => {
  const where = (matches: (change: MemberChange) => boolean) => CHANGES.filter(matches);
  const outcomes = (changes: MemberChange[]) => new Set(changes.map(refusalOf));
  const byAdmin = ({ callerRole }: MemberChange): boolean => rank(callerRole) >= rank('admin');

  it('cover all roles', () => {
    expect(CHANGES).toHaveLength(5 * (3 * 5 + 2) * 5);
  });

  it('are for admins and the owner alone', () => {
    expect(outcomes(where((change) => !byAdmin(change)))).toEqual(new Set([InsufficientProjectRole]));
  });

  it('find nobody who is not in the project', () => {
    expect(outcomes(where((change) => byAdmin(change) && change.targetRole === null))).toEqual(
      new Set([ProjectMemberNotFound]),
    );
  });

  it('leave owners and admins of the organization what they are', () => {
    const changes = where((change) => byAdmin(change) && rank(change.targetOrganizationRole) >= rank('admin'));
    for (const change of changes) {
      const isSame = change.newRole === change.targetOrganizationRole;
      expect([change, refusalOf(change)]).toEqual([change, isSame ? null : RoleFollowsOrganization]);
    }
  });

  it('are free for everybody else', () => {
    const changes = where(
      (change) => byAdmin(change) && change.targetRole !== null && rank(change.targetOrganizationRole) < rank('admin'),
    );
    expect(outcomes(changes)).toEqual(new Set([null]));
  });

  it('never raise anybody above the caller, and never make an owner', () => {
    for (const { callerRole, newRole } of where((change) => refusalOf(change) === null && change.newRole !== null)) {
      expect(rank(newRole ?? 'owner')).toBeLessThanOrEqual(rank(callerRole));
      expect(newRole).not.toBe('owner');
    }
  });
});
