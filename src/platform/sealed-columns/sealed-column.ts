import type { ValueProvider } from '@nestjs/common';
import type { CipherContext } from '../crypto/index.js';

interface SealedColumnShape {
  readonly table: string;
  readonly column: string;
  /** The column that names whose the values are. */
  readonly tenant: 'project_id' | 'user_id';
  /** The name that values are bound to where it is not the column's: they move from one column to another. */
  readonly boundTo?: string;
  /** A column that counts the values a row has had. Each is bound to its number too, so that an earlier one does not open. */
  readonly version?: string;
  /** A column with the id of the key that encrypted the value. */
  readonly keyId?: string;
}

/** The row that has a value; `version` where the column counts them. */
interface SealedRow {
  readonly id: string;
  readonly tenantId: string;
  readonly version?: number;
}

/**
 * A column of envelopes of {@link CredentialCipher}, and what each of them is bound to. Its table has a uuid `id`, and an
 * index on `(split_part(<column>, '.', 1), id)`, by which {@link ReencryptionTask} finds what older keys have encrypted.
 */
export class SealedColumn {
  constructor(readonly shape: SealedColumnShape) {}

  /** What the value of a row is bound to. */
  placeOf({ id, tenantId, version }: SealedRow): CipherContext {
    const { table, column, boundTo = column, version: counter } = this.shape;
    if ((counter === undefined) !== (version === undefined)) throw new Error(`${table}.${column}: version is amiss`);
    return { table, column: version === undefined ? boundTo : `${boundTo}:${version}`, rowId: id, tenantId };
  }
}

/** Providers for the module whose columns they are: what is in them is encrypted again when a new key comes first. */
export function sealedColumns(...columns: readonly SealedColumn[]): ValueProvider<SealedColumn>[] {
  return columns.map((column) => ({
    provide: Symbol(`sealed ${column.shape.table}.${column.shape.column}`),
    useValue: column,
  }));
}
