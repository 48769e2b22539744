import { Entity, Index, PrimaryColumn } from 'typeorm';
import type { UserId } from '../../../access/index.js';

@Entity('scim_group_members')
export class ScimGroupMember {
  @PrimaryColumn('uuid', { name: 'group_id', primaryKeyConstraintName: 'pk_scim_group_members' })
  groupId!: string;

  @Index('ix_scim_group_members_user_id')
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'pk_scim_group_members' })
  userId!: UserId;
}
