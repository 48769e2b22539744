import { BinaryValues, TYPE_OIDS, type ValueType, type ValueTypes } from './binary-values.js';

const HEADER_BYTES = 20;
const EMPTY_HEADER_BYTES = 12;
/** Maximum memory that a parameter keeps when it is reset, in bytes. */
const KEPT_BYTES = 256 * 1024;

/**
 * A one-dimensional array parameter in PostgreSQL's binary form. An array as text costs more: it must be escaped here
 * and parsed by the server.
 */
export class ArrayParameter<Type extends ValueType = ValueType> {
  private readonly values = new BinaryValues();
  private length = 0;
  private hasNulls = false;

  constructor(private readonly type: Type) {
    this.values.skip(HEADER_BYTES);
  }

  add(value: ValueTypes[Type] | null): void {
    this.values.add(this.type, value);
    this.length += 1;
    if (value === null) this.hasNulls = true;
  }

  /** Empties the array and keeps its memory. Call it only after the buffer of {@link toBuffer} has been sent. */
  reset(): void {
    this.values.reset(KEPT_BYTES);
    this.values.skip(HEADER_BYTES);
    this.length = 0;
    this.hasNulls = false;
  }

  /** Returns the whole parameter as a view of its memory. No value may be added after this. */
  toBuffer(): Buffer {
    return arrayOf(this.values, { oid: TYPE_OIDS[this.type], length: this.length, hasNulls: this.hasNulls });
  }
}

interface ArrayHeader {
  /** The object identifier of the type of the elements. */
  readonly oid: number;
  readonly length: number;
  readonly hasNulls: boolean;
}

/** Writes the header into the space that was reserved for it, and returns the array. */
function arrayOf(values: BinaryValues, { oid, length, hasNulls }: ArrayHeader): Buffer {
  // An empty array has no dimension in PostgreSQL.
  values.setWord(length === 0 ? 0 : 1, 0);
  values.setWord(hasNulls ? 1 : 0, 4);
  values.setWord(oid | 0, 8);
  values.setWord(length, 12);
  values.setWord(1, 16);
  return length === 0 ? values.toBuffer(EMPTY_HEADER_BYTES) : values.toBuffer();
}

/** The layout of a row type as the server describes it. */
export interface RowLayout {
  readonly oid: number;
  /** The attributes in their order, with the object identifiers of their types. */
  readonly attributes: readonly { readonly name: string; readonly oid: number }[];
}

/** A row of an array with these columns. */
export type RowOf<Columns extends Readonly<Record<string, ValueType>>> = {
  readonly [Name in keyof Columns]: ValueTypes[Columns[Name]] | null;
};

type ValuesByName = Readonly<Record<string, ValueTypes[ValueType] | null | undefined>>;

/**
 * A row type of the server lacks a column, or the column has another type. This happens when migrations of another
 * version have been applied.
 */
export class RowTypeDiffers extends Error {}

/**
 * Maximum memory that an array of rows keeps when it is reset, in bytes. It is larger because one buffer holds all
 * rows, which may contain long texts.
 */
const KEPT_BYTES_OF_ROWS = 1024 * 1024;

/**
 * An array of rows in PostgreSQL's binary form. Columns are matched by name with the attributes of the server's type,
 * so their order does not matter. An attribute without a column is sent as null: a newer version, which runs at the
 * same time, has added it.
 */
export class RowArrayParameter<const Columns extends Readonly<Record<string, ValueType>>> {
  private readonly values = new BinaryValues();
  private readonly attributes: readonly { readonly name: string; readonly oid: number; readonly type?: ValueType }[];
  private readonly oid: number;
  private length = 0;

  /** @throws RowTypeDiffers */
  constructor({ oid, attributes }: RowLayout, columns: Columns) {
    const byName = new Map(attributes.map((attribute) => [attribute.name, attribute.oid]));
    for (const [name, type] of Object.entries(columns)) {
      if (byName.get(name) !== TYPE_OIDS[type])
        throw new RowTypeDiffers(`there is no attribute ${name} of type ${type}`);
    }
    this.oid = oid;
    this.attributes = attributes.map((attribute) => ({ ...attribute, type: columns[attribute.name] }));
    this.values.skip(HEADER_BYTES);
  }

  /**
   * Adds a row. `own` has the values of this row, and `shared` has the values that it shares with other rows. Merging
   * the two into one object would cost more than writing the row.
   */
  add<Shared extends keyof Columns = never>(
    own: Omit<RowOf<Columns>, Shared>,
    shared: Pick<RowOf<Columns>, Shared>,
  ): void {
    const { values, attributes } = this;
    const mine: ValuesByName = own;
    const others: ValuesByName = shared;
    const start = values.size;
    values.skip(4);
    values.addWord(attributes.length);
    for (const { name, oid, type } of attributes) {
      values.addWord(oid | 0);
      if (type === undefined) values.add('text', null);
      else values.add(type, mine[name] ?? others[name] ?? null);
    }
    values.setWord(values.size - start - 4, start);
    this.length += 1;
  }

  /** Empties the array and keeps its memory. Call it only after the buffer of {@link toBuffer} has been sent. */
  reset(): void {
    this.values.reset(KEPT_BYTES_OF_ROWS);
    this.values.skip(HEADER_BYTES);
    this.length = 0;
  }

  /** Returns the whole parameter as a view of its memory. No row may be added after this. */
  toBuffer(): Buffer {
    return arrayOf(this.values, { oid: this.oid, length: this.length, hasNulls: false });
  }
}
