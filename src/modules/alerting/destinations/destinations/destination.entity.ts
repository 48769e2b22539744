import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';
import { SealedColumn } from '../../../../platform/sealed-columns/index.js';
import { DESTINATION_TYPES, type DestinationType } from '../drivers/destination-drivers.js';

/** Where alerts of a project are told (SERVICE 2.11). */
@Entity('alert_destinations')
@Index('ix_alert_destinations_project_id', ['projectId', 'createdAt'])
@Index('ix_alert_destinations_previous_secret_until', ['previousSecretUntil'], { where: 'previous_secret IS NOT NULL' })
@Index('ix_alert_destinations_secret_key', { synchronize: false })
@Index('ix_alert_destinations_previous_secret_key', { synchronize: false })
@Index('ix_alert_destinations_sealed_url_key', { synchronize: false })
@Check('ck_alert_destinations_type', `type IN (${DESTINATION_TYPES.map((type) => `'${type}'`).join(', ')})`)
@Check('ck_alert_destinations_sealed_url', `(type = 'slack') = (sealed_url IS NOT NULL)`)
@Check(
  'ck_alert_destinations_previous_secret',
  `(previous_secret IS NULL) = (previous_secret_until IS NULL) AND (previous_secret IS NULL OR secret IS NOT NULL)`,
)
export class AlertDestination {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_alert_destinations' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  /** Never changes. */
  @Column('text')
  type!: DestinationType;

  @Column('text')
  name!: string;

  /** As it is shown: masked where it is a credential. */
  @Column('text', { name: 'target_url' })
  targetUrl!: string;

  /** The whole address where it is a credential, encrypted; null where it is shown as it is. */
  @Column('text', { name: 'sealed_url', nullable: true })
  sealedUrl!: string | null;

  /** What requests are signed with, encrypted. */
  @Column('text', { nullable: true })
  secret!: string | null;

  /** The secret before, which signs beside the new one until then. */
  @Column('text', { name: 'previous_secret', nullable: true })
  previousSecret!: string | null;

  @Column('timestamptz', { name: 'previous_secret_until', nullable: true })
  previousSecretUntil!: Date | null;

  @Column('boolean', { name: 'is_enabled' })
  isEnabled!: boolean;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}

const OF_DESTINATIONS = { table: 'alert_destinations', tenant: 'project_id' } as const;

export const DESTINATION_SECRET = new SealedColumn({ ...OF_DESTINATIONS, column: 'secret' });
/** It has been the secret before. */
export const PREVIOUS_SECRET = new SealedColumn({ ...OF_DESTINATIONS, column: 'previous_secret', boundTo: 'secret' });
export const SEALED_URL = new SealedColumn({ ...OF_DESTINATIONS, column: 'sealed_url' });
