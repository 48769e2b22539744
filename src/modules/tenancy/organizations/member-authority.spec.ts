import { describe, expect, it } from '@jest/globals';
import { asUserId, ROLES } from '../../access/index.js';
import { canChangeRole, canGrant, canRevoke, GRANTABLE_ROLES } from './member-authority.js';

const caller = (role: (typeof ROLES)[number]) => ({ userId: asUserId('caller'), role });
const other = (role: (typeof ROLES)[number]) => ({ userId: asUserId('other'), role });
const pairs = ROLES.flatMap((a) => ROLES.map((b) => [a, b] as const));

describe('the authority of a member', () => {
  it.each(pairs)('lets a %s change and remove another %s only from above, as an admin or the owner', (a, b) => {
    const expected = (a === 'owner' && b !== 'owner') || (a === 'admin' && !['admin', 'owner'].includes(b));
    expect(canChangeRole(caller(a), other(b))).toBe(expected);
    expect(canRevoke(caller(a), other(b))).toBe(expected);
  });

  it.each(ROLES)('lets a %s leave unless they own the organization, and never change their own role', (role) => {
    expect(canRevoke(caller(role), caller(role))).toBe(role !== 'owner');
    expect(canChangeRole(caller(role), caller(role))).toBe(false);
  });

  it.each(ROLES.flatMap((a) => GRANTABLE_ROLES.map((b) => [a, b] as const)))(
    'lets a %s make somebody %s only when that stays below them',
    (a, b) => {
      expect(canGrant(caller(a), b)).toBe(a === 'owner' || (a === 'admin' && b !== 'admin'));
    },
  );
});
