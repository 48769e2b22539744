import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../database/database.js';
import type { SealedColumn } from './sealed-column.js';

export interface SealedValue {
  readonly id: string;
  readonly tenantId: string;
  readonly version?: number;
  /** The encrypted value. */
  readonly value: string;
}

/** Reads and replaces the values of any sealed column. All names in the SQL are constants of the code. */
@Injectable()
export class SealedValuesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Locks and returns values that were encrypted with a key, in the order of their ids, starting after the id `after`.
   * Skips rows that are locked.
   */
  hold({ shape }: SealedColumn, keyId: string, after: string, limit: number, tx: Db): Promise<SealedValue[]> {
    const { table, column, id = 'id', tenant, version } = shape;
    return this.database.rows<SealedValue>(
      `SELECT ${id} AS id, ${tenant} AS "tenantId", ${column} AS value ${version === undefined ? '' : `, ${version} AS version`}
       /* every tenant: what an older key has encrypted */ FROM ${table}
       WHERE split_part(${column}, '.', 1) = $1 AND ${id} > $2 ORDER BY ${id} LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED`,
      [`v${keyId}`, after, limit],
      tx,
    );
  }

  /** @param values values whose rows {@link hold} has locked, so that no newer value is overwritten */
  async replace(
    { shape }: SealedColumn,
    keyId: string,
    values: readonly Pick<SealedValue, 'id' | 'value'>[],
    tx: Db,
  ): Promise<void> {
    const { table, column, id = 'id', keyId: keyColumn } = shape;
    await this.database.execute(
      `UPDATE /* every tenant: what an older key has encrypted */ ${table} t
       SET ${column} = n.value ${keyColumn === undefined ? '' : `, ${keyColumn} = $3::text`}
       FROM unnest($1::uuid[], $2::text[]) AS n (id, value) WHERE t.${id} = n.id`,
      [values.map(({ id }) => id), values.map(({ value }) => value), ...(keyColumn === undefined ? [] : [keyId])],
      tx,
    );
  }
}
