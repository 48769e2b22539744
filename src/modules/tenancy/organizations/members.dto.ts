import { type OrganizationScope, type Role, ROLES } from '../../access/index.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  TextField,
  UuidField,
} from '../../../platform/http/validation/index.js';
import { maskedAddress } from '../../identity/users/index.js';
import { canChangeRole, canRevoke, GRANTABLE_ROLES, type GrantableRole } from './member-authority.js';
import type { MemberRow } from './members.reader.js';

export class ChangeRoleRequest {
  @EnumField(GRANTABLE_ROLES, { description: 'What its holder may do' })
  role!: GrantableRole;
}

export class MemberResponse {
  @UuidField({ description: 'The organization of the membership' })
  organization_id!: string;

  @UuidField({ description: 'The person' })
  user_id!: string;

  @TextField({ description: 'The account’s name, or the masked address when it has none' })
  display_name!: string;

  @TextField({ description: 'The masked address', example: 'j***@example.com' })
  identity!: string;

  @EnumField(ROLES, { description: 'What its holder may do' })
  role!: Role;

  @EnumField(['active'], { description: 'Always `active`: who has left is no member' })
  status!: 'active';

  @BooleanField({ description: 'Whether the organization is theirs' })
  is_owner!: boolean;

  @BooleanField({ description: 'Whether the caller may give this member another role' })
  can_change_role!: boolean;

  @BooleanField({
    description: 'Whether the caller may remove this member; for their own record, whether they may leave',
  })
  can_revoke!: boolean;

  @DateTimeField({})
  created_at!: string;
}

/** Returns the member as the caller sees them: `can_change_role` and `can_revoke` are the caller's permissions. */
export function memberResponse(caller: OrganizationScope, member: MemberRow): MemberResponse {
  const identity = maskedAddress(member.email);
  return {
    organization_id: caller.organizationId,
    user_id: member.userId,
    display_name: member.name ?? identity,
    identity,
    role: member.role,
    status: 'active',
    is_owner: member.role === 'owner',
    can_change_role: canChangeRole(caller, member),
    can_revoke: canRevoke(caller, member),
    created_at: member.createdAt.toISOString(),
  };
}
