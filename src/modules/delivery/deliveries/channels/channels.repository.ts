import { Injectable } from '@nestjs/common';
import { type ProjectScope, thingOfProject } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { DeliveryChannel } from './channel.entity.js';
import { ChannelNotFound } from '../delivery.errors.js';
import { ProtectedHeader } from './protected-header.entity.js';

type Tenant = Pick<ProjectScope, 'projectId'>;

/** Reads and writes channels and their protected headers. */
@Injectable()
export class ChannelsRepository {
  constructor(private readonly database: Database) {}

  async insert(
    { projectId }: Tenant,
    channel: Pick<DeliveryChannel, 'id' | 'name' | 'type' | 'enabled' | 'configuration' | 'signingSecret'>,
    tx: Db,
  ): Promise<void> {
    await this.database
      .repository(DeliveryChannel, tx)
      .insert({ ...channel, configuration: channel.configuration as object, projectId });
  }

  /** Returns the channels of the project, newest first. */
  list({ projectId }: Tenant): Promise<DeliveryChannel[]> {
    return this.database
      .repository(DeliveryChannel)
      .find({ where: { projectId }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  find({ projectId }: Tenant, id: string, db?: Db): Promise<DeliveryChannel | null> {
    return this.database.repository(DeliveryChannel, db).findOneBy({ projectId, id });
  }

  /**
   * Locks the row, so that changes of a channel and its headers run one after another. Attempts can still be inserted.
   */
  lock({ projectId }: Tenant, id: string, tx: Db): Promise<DeliveryChannel | null> {
    return this.database
      .repository(DeliveryChannel, tx)
      .findOne({ where: { projectId, id }, lock: { mode: 'for_no_key_update' } });
  }

  /** Returns the channel, which cannot be deleted until the transaction ends. */
  share({ projectId }: Tenant, id: string, tx: Db): Promise<DeliveryChannel | null> {
    return this.database
      .repository(DeliveryChannel, tx)
      .findOne({ where: { projectId, id }, lock: { mode: 'for_key_share' } });
  }

  /** Returns the channels with these ids, in the order of ids. They cannot be deleted until the transaction ends. */
  shareAll({ projectId }: Tenant, ids: readonly string[], tx: Db): Promise<Pick<DeliveryChannel, 'id' | 'enabled'>[]> {
    return this.database.rows<Pick<DeliveryChannel, 'id' | 'enabled'>>(
      `SELECT id, enabled FROM delivery_channels WHERE project_id = $1 AND id = ANY ($2::uuid[])
       ORDER BY id FOR KEY SHARE`,
      [projectId, ids],
      tx,
    );
  }

  /** @param updatedAt as text of the database, because a `Date` would lose the microseconds */
  async isUnchanged({ projectId }: Tenant, id: string, updatedAt: string): Promise<boolean> {
    const rows = await this.database.rows(
      'SELECT 1 FROM delivery_channels WHERE project_id = $1 AND id = $2 AND updated_at = $3::timestamptz',
      [projectId, id, updatedAt],
    );
    return rows.length === 1;
  }

  countOf({ projectId }: Tenant, tx: Db): Promise<number> {
    return this.database.repository(DeliveryChannel, tx).countBy({ projectId });
  }

  async update(
    { projectId }: Tenant,
    channel: Pick<DeliveryChannel, 'id' | 'name' | 'enabled' | 'configuration'>,
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `UPDATE delivery_channels SET name = $3, enabled = $4, configuration = $5, updated_at = clock_timestamp()
       WHERE project_id = $1 AND id = $2`,
      [projectId, channel.id, channel.name, channel.enabled, JSON.stringify(channel.configuration)],
      tx,
    );
  }

  /** Replaces the signing secret. The old one signs in addition for `graceSeconds`. */
  async rotateSigningSecret(
    { projectId }: Tenant,
    id: string,
    secret: string,
    graceSeconds: number,
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `UPDATE delivery_channels
       SET signing_secret = $3, updated_at = clock_timestamp(), previous_signing_secret = signing_secret,
           previous_signing_secret_until = CASE WHEN signing_secret IS NOT NULL
                                                THEN clock_timestamp() + $4 * interval '1 second' END
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, secret, graceSeconds],
      tx,
    );
  }

  /** Deletes previous signing secrets that have expired. @returns how many were deleted */
  forgetPreviousSigningSecrets(): Promise<number> {
    return this.database.execute(
      `UPDATE delivery_channels SET previous_signing_secret = NULL, previous_signing_secret_until = NULL
       WHERE /* every tenant: what has expired */ previous_signing_secret IS NOT NULL
         AND previous_signing_secret_until <= now()`,
    );
  }

  async touch({ projectId }: Tenant, id: string, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE delivery_channels SET updated_at = clock_timestamp() WHERE project_id = $1 AND id = $2',
      [projectId, id],
      tx,
    );
  }

  /** Deletes the channel and its headers. Fails on the foreign key while attempts refer to the channel. */
  async remove({ projectId }: Tenant, id: string, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM delivery_channels WHERE project_id = $1 AND id = $2', [projectId, id], tx);
  }

  /** Returns the headers of one channel, or of all channels of the project, in the order in which they were added. */
  headers({ projectId }: Tenant, channelId?: string, db?: Db): Promise<ProtectedHeader[]> {
    return this.database
      .repository(ProtectedHeader, db)
      .find({ where: { projectId, ...(channelId !== undefined && { channelId }) }, order: { id: 'ASC' } });
  }

  async insertHeader(
    { projectId }: Tenant,
    header: Omit<ProtectedHeader, 'projectId' | 'version' | 'lastRotatedAt'>,
    tx: Db,
  ): Promise<void> {
    await this.database.repository(ProtectedHeader, tx).insert({ ...header, projectId });
  }

  async rotateHeader(
    { projectId }: Tenant,
    { id, value, keyVersion, lastRotatedBy }: Pick<ProtectedHeader, 'id' | 'value' | 'keyVersion' | 'lastRotatedBy'>,
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `UPDATE delivery_protected_headers
       SET value = $3, key_version = $4, version = version + 1, last_rotated_by = $5, last_rotated_at = clock_timestamp()
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, value, keyVersion, lastRotatedBy],
      tx,
    );
  }

  async removeHeader({ projectId }: Tenant, id: string, tx: Db): Promise<void> {
    await this.database.repository(ProtectedHeader, tx).delete({ projectId, id });
  }
}

export class ChannelOfProject extends thingOfProject('channel_id', DeliveryChannel, ChannelNotFound) {}
