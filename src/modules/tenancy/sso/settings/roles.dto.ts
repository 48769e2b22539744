import { EnumField, ListField, nested, TextField } from '../../../../platform/http/validation/index.js';
import { GRANTABLE_ROLES, type GrantableRole } from '../../organizations/index.js';

const MAX_GROUPS = 200;
const MAX_GROUP_LENGTH = 256;

const DEFAULT_ROLE = 'The role of people of whom no group is listed';
const GROUPS = 'The roles of groups. A person of several groups gets the highest of their roles';

export class GroupRoleSetting {
  @TextField({
    min: 1,
    max: MAX_GROUP_LENGTH,
    example: 'Engineering',
    description: 'As the provider names the group, compared exactly',
  })
  group!: string;

  @EnumField(GRANTABLE_ROLES, { description: 'The role of its members' })
  role!: GrantableRole;
}

const isListedOnce = (groups: readonly GroupRoleSetting[]): string | undefined =>
  new Set(groups.map(({ group }) => group)).size === groups.length ? undefined : 'a group is listed more than once';

export class SsoRolesRequest {
  @EnumField(GRANTABLE_ROLES, { description: DEFAULT_ROLE })
  default_role!: GrantableRole;

  @ListField(nested(() => GroupRoleSetting), { max: MAX_GROUPS, check: isListedOnce, description: GROUPS })
  group_roles!: GroupRoleSetting[];
}

export class SsoRolesResponse {
  @EnumField(GRANTABLE_ROLES, { description: DEFAULT_ROLE })
  default_role!: GrantableRole;

  @ListField(nested(() => GroupRoleSetting), { description: GROUPS })
  group_roles!: GroupRoleSetting[];
}
