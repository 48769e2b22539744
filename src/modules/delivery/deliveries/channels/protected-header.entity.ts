import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';
import { SealedColumn } from '../../../../platform/sealed-columns/index.js';

/** A header whose value is a credential. The value is stored encrypted, and no response contains it. */
@Entity('delivery_protected_headers')
@Unique('uq_delivery_protected_headers_channel_id_name_key', ['channelId', 'nameKey'])
@Check('ck_delivery_protected_headers_version', 'version >= 1')
@Index('ix_delivery_protected_headers_value_key', { synchronize: false })
export class ProtectedHeader {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_delivery_protected_headers' })
  id!: string;

  /** The project is also the tenant that the encrypted value is bound to. */
  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('uuid', { name: 'channel_id' })
  channelId!: string;

  @Column('text')
  name!: string;

  /** The name in lower case. Names are compared in this form. */
  @Column('text', { name: 'name_key' })
  nameKey!: string;

  /** The encrypted value, bound to this row. */
  @Column('text')
  value!: string;

  /** The id of the key that encrypted the value. Re-encryption changes this id. A new value may keep it. */
  @Column('text', { name: 'key_version' })
  keyVersion!: string;

  /** 1 when the header was added, one more with each rotation. Responses call this number `key_version`. */
  @Column('integer', { default: 1 })
  version!: number;

  @Column('timestamptz', { name: 'last_rotated_at', default: () => 'now()' })
  lastRotatedAt!: Date;

  /** The user who set the value; null: the account has been deleted. */
  @Index('ix_delivery_protected_headers_last_rotated_by')
  @Column('uuid', { name: 'last_rotated_by', nullable: true })
  lastRotatedBy!: string | null;
}

export const HEADER_VALUE = new SealedColumn({
  table: 'delivery_protected_headers',
  column: 'value',
  tenant: 'project_id',
  keyId: 'key_version',
});
