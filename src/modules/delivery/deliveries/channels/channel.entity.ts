import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';
import type { ChannelConfiguration } from '../drivers/channel-configuration.js';
import { CHANNEL_TYPES, type ChannelType } from '../drivers/channel-drivers.js';

/** A receiver of notifications of a project: a webhook, or a list of mail addresses. */
@Entity('delivery_channels')
@Index('ix_delivery_channels_project_id', ['projectId', 'createdAt'])
@Check('ck_delivery_channels_type', `type IN (${CHANNEL_TYPES.map((type) => `'${type}'`).join(', ')})`)
export class DeliveryChannel {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_delivery_channels' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('text')
  name!: string;

  /** The type never changes. */
  @Column('text')
  type!: ChannelType;

  @Column('boolean')
  enabled!: boolean;

  /** The validated configuration with its defaults filled in. Its shape depends on the type. */
  @Column('jsonb')
  configuration!: ChannelConfiguration;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}
