import type { ValueProvider } from '@nestjs/common';
import type { CipherContext } from '../crypto/index.js';

interface SealedColumnShape {
  readonly table: string;
  readonly column: string;
  /** The uuid column that names a row. The default is `id`. */
  readonly id?: 'session_id';
  /** The column with the owner of the values. */
  readonly tenant: 'project_id' | 'user_id' | 'organization_id' | 'session_id';
  /** The name that values are bound to when it is not the column's, because values move from one column to another. */
  readonly boundTo?: string;
  /**
   * A column that counts the values a row has had. Each value is also bound to its number, so that earlier values
   * cannot be decrypted.
   */
  readonly version?: string;
  /** A column with the id of the key that encrypted the value. */
  readonly keyId?: string;
}

/** The row of a value. `version` is set when the column counts its values. */
interface SealedRow {
  readonly id: string;
  readonly tenantId: string;
  readonly version?: number;
}

/**
 * A column of envelopes of {@link CredentialCipher}, and the context that each envelope is bound to. Its table needs an
 * index on `(split_part(<column>, '.', 1), <id>)`, with which {@link ReencryptionTask} finds values of older keys.
 */
export class SealedColumn {
  constructor(readonly shape: SealedColumnShape) {}

  /** Returns the context that the value of a row is bound to. */
  placeOf({ id, tenantId, version }: SealedRow): CipherContext {
    const { table, column, boundTo = column, version: counter } = this.shape;
    if ((counter === undefined) !== (version === undefined)) throw new Error(`${table}.${column}: version is amiss`);
    return { table, column: version === undefined ? boundTo : `${boundTo}:${version}`, rowId: id, tenantId };
  }
}

/**
 * Returns providers for the module that owns the columns. Their values are encrypted again when the first key changes.
 */
export function sealedColumns(...columns: readonly SealedColumn[]): ValueProvider<SealedColumn>[] {
  return columns.map((column) => ({
    provide: Symbol(`sealed ${column.shape.table}.${column.shape.column}`),
    useValue: column,
  }));
}
