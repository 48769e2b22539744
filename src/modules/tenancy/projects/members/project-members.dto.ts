import { type Role, ROLES } from '../../../access/index.js';
import { DateTimeField, EnumField, TextField, UuidField } from '../../../../platform/http/validation/index.js';
import { maskedAddress } from '../../../identity/users/index.js';
import { GIVEN_ROLES, type GivenRole } from './member-rules.js';
import type { Member } from './project-members.repository.js';

export class AddMemberRequest {
  @UuidField({ description: 'A member of the organization' })
  user_id!: string;

  @EnumField(GIVEN_ROLES, { optional: true, default: 'member', description: 'What its holder may do' })
  role!: GivenRole;
}

export class ChangeMemberRequest {
  @EnumField(GIVEN_ROLES, { description: 'What its holder may do' })
  role!: GivenRole;
}

export class ProjectMemberResponse {
  @UuidField({})
  project_id!: string;

  @UuidField({ description: 'The person' })
  user_id!: string;

  @TextField({ optional: true, description: 'The account’s name, or the masked address when it has none' })
  display_name?: string;

  @EnumField(ROLES, { description: 'Effective: owners and admins of the organization are that in every project' })
  role!: Role;

  @DateTimeField({})
  created_at!: string;
}

export function memberResponse(member: Member & { role: Role }): ProjectMemberResponse {
  return {
    project_id: member.projectId,
    user_id: member.userId,
    display_name: member.name ?? maskedAddress(member.email),
    role: member.role,
    created_at: member.createdAt.toISOString(),
  };
}
