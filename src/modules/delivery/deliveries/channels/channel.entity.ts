import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';
import { SealedColumn } from '../../../../platform/sealed-columns/index.js';
import type { ChannelConfiguration } from '../drivers/channel-configuration.js';
import { CHANNEL_TYPES, type ChannelType } from '../drivers/channel-drivers.js';

/** A receiver of notifications of a project: a webhook, or a list of mail addresses. */
@Entity('delivery_channels')
@Index('ix_delivery_channels_project_id', ['projectId', 'createdAt'])
@Index('ix_delivery_channels_previous_signing_secret_until', ['previousSigningSecretUntil'], {
  where: 'previous_signing_secret IS NOT NULL',
})
@Index('ix_delivery_channels_signing_secret_key', { synchronize: false })
@Index('ix_delivery_channels_previous_signing_secret_key', { synchronize: false })
@Check(
  'ck_delivery_channels_previous_signing_secret',
  `(previous_signing_secret IS NULL) = (previous_signing_secret_until IS NULL)
   AND (previous_signing_secret IS NULL OR signing_secret IS NOT NULL)`,
)
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

  /** The secret that signs webhooks, encrypted. Null: the channel is no webhook, or its webhooks are not signed. */
  @Column('text', { name: 'signing_secret', nullable: true })
  signingSecret!: string | null;

  /** The secret before the last rotation. It signs in addition to the new one until `previousSigningSecretUntil`. */
  @Column('text', { name: 'previous_signing_secret', nullable: true })
  previousSigningSecret!: string | null;

  @Column('timestamptz', { name: 'previous_signing_secret_until', nullable: true })
  previousSigningSecretUntil!: Date | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}

const OF_CHANNELS = { table: 'delivery_channels', tenant: 'project_id' } as const;

export const SIGNING_SECRET = new SealedColumn({ ...OF_CHANNELS, column: 'signing_secret' });
/** The previous secret was encrypted as `signing_secret`, so its value stays bound to that column. */
export const PREVIOUS_SIGNING_SECRET = new SealedColumn({
  ...OF_CHANNELS,
  column: 'previous_signing_secret',
  boundTo: 'signing_secret',
});
