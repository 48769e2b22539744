import { Injectable, Logger } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { CredentialCipher, DecryptionError } from '../crypto/index.js';
import { Database } from '../database/database.js';
import { MaintenanceTask } from '../maintenance/maintenance-task.js';
import { SealedColumn } from './sealed-column.js';
import { type SealedValue, SealedValuesRepository } from './sealed-values.repository.js';

/** Maximum number of rows in one transaction. They are locked while they are encrypted. */
const BATCH_ROWS = 200;
/** Maximum number of batches in one round. The remaining rows wait for the next round, a minute later. */
const BATCHES_A_ROUND = 50;

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * Re-encrypts values of older keys with the first key, in every {@link SealedColumn}, so that the older keys can be
 * removed from the configuration. If a process dies meanwhile, some values have the new key and others an old one, and
 * all of them can still be decrypted. Values that cannot be decrypted are not changed.
 */
@Injectable()
export class ReencryptionTask extends MaintenanceTask {
  private readonly logger = new Logger('encryption');

  constructor(
    private readonly database: Database,
    private readonly values: SealedValuesRepository,
    private readonly cipher: CredentialCipher,
    private readonly discovery: DiscoveryService,
  ) {
    super();
  }

  async maintain(): Promise<number> {
    let batches = BATCHES_A_ROUND;
    let encrypted = 0;
    for (const keyId of this.cipher.olderKeyIds) {
      for (const column of this.columns()) {
        let after: string | undefined = BEFORE_ALL;
        while (after !== undefined && batches > 0) {
          batches -= 1;
          const batch = await this.batch(column, keyId, after);
          encrypted += batch.encrypted;
          after = batch.last;
        }
      }
    }
    if (encrypted > 0) this.logger.log(`encrypted ${encrypted} values again, with the first key`);
    return encrypted;
  }

  /**
   * @returns the number of values that were re-encrypted, and the last id of the batch, or no id when the column is
   * finished
   */
  private batch(column: SealedColumn, keyId: string, after: string): Promise<{ encrypted: number; last?: string }> {
    return this.database.transaction(async (tx) => {
      const held = await this.values.hold(column, keyId, after, BATCH_ROWS, tx);
      const values = held.flatMap((row) => this.encryptedAgain(column, row) ?? []);
      if (values.length > 0) await this.values.replace(column, this.cipher.firstKeyId, values, tx);
      const last = held.length < BATCH_ROWS ? undefined : held.at(-1)?.id;
      if (values.length < held.length) {
        const { table } = column.shape;
        this.logger.warn(`${held.length - values.length} values of ${table} cannot be opened with the key ${keyId}`);
      }
      return { encrypted: values.length, ...(last !== undefined && { last }) };
    });
  }

  private encryptedAgain(column: SealedColumn, row: SealedValue): Pick<SealedValue, 'id' | 'value'> | null {
    const place = column.placeOf(row);
    try {
      return { id: row.id, value: this.cipher.encrypt(this.cipher.decrypt(row.value, place), place) };
    } catch (error) {
      if (error instanceof DecryptionError) return null;
      throw error;
    }
  }

  private columns(): SealedColumn[] {
    return this.discovery
      .getProviders()
      .map(({ instance }) => instance as unknown)
      .filter((instance) => instance instanceof SealedColumn);
  }
}
