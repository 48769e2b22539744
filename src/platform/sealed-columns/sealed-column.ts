import type { ValueProvider } from '@nestjs/common';
import type { CipherContext } from '../crypto/index.js';

interface SealedColumnShape {
  readonly table: string;
  readonly column: string;
  /** The uuid column that identifies a row. The default is `id`. */
  readonly id?: 'session_id';
  /** The column with the owner of a value, which is part of the encryption context. */
  readonly tenant: 'project_id' | 'user_id' | 'organization_id' | 'session_id';
  /**
   * The column name in the encryption context. It is set when values move from one column to another, and defaults to
   * `column`.
   */
  readonly boundTo?: string;
  /**
   * A column that counts the values that a row has had. The number is part of the encryption context, so that earlier
   * values of the row cannot be decrypted.
   */
  readonly version?: string;
  /** A column with the id of the key that encrypted the value. */
  readonly keyId?: string;
}

/** The row of a value. `version` is set when the column has a version counter. */
interface SealedRow {
  readonly id: string;
  readonly tenantId: string;
  readonly version?: number;
}

/**
 * A column of values that {@link CredentialCipher} encrypts, each bound to its own context. The table needs an index on
 * `(split_part(<column>, '.', 1), <id>)`, with which {@link ReencryptionTask} finds values of older keys.
 */
export class SealedColumn {
  constructor(readonly shape: SealedColumnShape) {}

  /** Returns the encryption context for the value of a row. */
  placeOf({ id, tenantId, version }: SealedRow): CipherContext {
    const { table, column, boundTo = column, version: counter } = this.shape;
    if ((counter === undefined) !== (version === undefined)) throw new Error(`${table}.${column}: version is amiss`);
    return { table, column: version === undefined ? boundTo : `${boundTo}:${version}`, rowId: id, tenantId };
  }
}

/**
 * Returns providers for the module that owns the columns. They make {@link ReencryptionTask} re-encrypt these columns
 * when the first key changes.
 */
export function sealedColumns(...columns: readonly SealedColumn[]): ValueProvider<SealedColumn>[] {
  return columns.map((column) => ({
    provide: Symbol(`sealed ${column.shape.table}.${column.shape.column}`),
    useValue: column,
  }));
}
