import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';
import { SealedColumn } from '../../../../platform/sealed-columns/index.js';
import type { BodyTemplate } from '../../../delivery/templates/index.js';
import { DESTINATION_TYPES, type DestinationType } from '../drivers/destination-drivers.js';

/** A receiver of the alerts of a project: a webhook, or Slack. */
@Entity('alert_destinations')
@Index('ix_alert_destinations_project_id', ['projectId', 'createdAt'])
@Index('ix_alert_destinations_previous_secret_until', ['previousSecretUntil'], { where: 'previous_secret IS NOT NULL' })
@Index('ix_alert_destinations_secret_key', { synchronize: false })
@Index('ix_alert_destinations_previous_secret_key', { synchronize: false })
@Index('ix_alert_destinations_sealed_url_key', { synchronize: false })
@Check('ck_alert_destinations_type', `type IN (${DESTINATION_TYPES.map((type) => `'${type}'`).join(', ')})`)
@Check('ck_alert_destinations_sealed_url', `(type = 'slack') = (sealed_url IS NOT NULL)`)
@Check('ck_alert_destinations_template', `template IS NULL OR type = 'webhook'`)
@Check('ck_alert_destinations_template_url', `(template IS NULL) = (template_url IS NULL)`)
@Check(
  'ck_alert_destinations_previous_secret',
  `(previous_secret IS NULL) = (previous_secret_until IS NULL) AND (previous_secret IS NULL OR secret IS NOT NULL)`,
)
export class AlertDestination {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_alert_destinations' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  /** The type never changes. */
  @Column('text')
  type!: DestinationType;

  @Column('text')
  name!: string;

  /** The address as responses show it: masked when it is a credential. */
  @Column('text', { name: 'target_url' })
  targetUrl!: string;

  /** The whole address, encrypted, when it is a credential; null when `targetUrl` is the whole address. */
  @Column('text', { name: 'sealed_url', nullable: true })
  sealedUrl!: string | null;

  /** The secret that signs requests, encrypted. */
  @Column('text', { nullable: true })
  secret!: string | null;

  /** The secret before the last rotation. It signs in addition to the new one until `previousSecretUntil`. */
  @Column('text', { name: 'previous_secret', nullable: true })
  previousSecret!: string | null;

  @Column('timestamptz', { name: 'previous_secret_until', nullable: true })
  previousSecretUntil!: Date | null;

  /**
   * The template that replaces the standard body; null when the standard body is sent. Only webhooks have a template.
   */
  @Column('json', { nullable: true })
  template!: BodyTemplate | null;

  /**
   * The address for which the template was admitted. An older version of the service changes `targetUrl` alone and
   * requires no admin for it. So a template with secrets is sent only while both addresses are equal. Null: there is no
   * template.
   */
  @Column('text', { name: 'template_url', nullable: true })
  templateUrl!: string | null;

  @Column('boolean', { name: 'is_enabled' })
  isEnabled!: boolean;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}

const OF_DESTINATIONS = { table: 'alert_destinations', tenant: 'project_id' } as const;

export const DESTINATION_SECRET = new SealedColumn({ ...OF_DESTINATIONS, column: 'secret' });
/** The previous secret was encrypted as `secret`, so its value stays bound to that column. */
export const PREVIOUS_SECRET = new SealedColumn({ ...OF_DESTINATIONS, column: 'previous_secret', boundTo: 'secret' });
export const SEALED_URL = new SealedColumn({ ...OF_DESTINATIONS, column: 'sealed_url' });
