import { BinaryValues, TYPE_OIDS, type ValueType, type ValueTypes } from './binary-values.js';

const HEADER_BYTES = 20;
const EMPTY_HEADER_BYTES = 12;
/** A parameter that is used again keeps no more than this. */
const KEPT_BYTES = 256 * 1024;

/**
 * A one-dimensional array in PostgreSQL's binary form, to be sent as a parameter. Nothing in it is escaped by us and
 * parsed again by the server, which is what arrays as text cost.
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

  /** Empty again, in the same memory: for whoever has sent what {@link toBuffer} gave. */
  reset(): void {
    this.values.reset(KEPT_BYTES);
    this.values.skip(HEADER_BYTES);
    this.length = 0;
    this.hasNulls = false;
  }

  /** The whole parameter, a view of its memory; nothing may be added after it. */
  toBuffer(): Buffer {
    return arrayOf(this.values, { oid: TYPE_OIDS[this.type], length: this.length, hasNulls: this.hasNulls });
  }
}

interface ArrayHeader {
  /** Of the type of the elements. */
  readonly oid: number;
  readonly length: number;
  readonly hasNulls: boolean;
}

/** Fills in the header that room was left for. */
function arrayOf(values: BinaryValues, { oid, length, hasNulls }: ArrayHeader): Buffer {
  // PostgreSQL knows no empty array with a dimension.
  values.setWord(length === 0 ? 0 : 1, 0);
  values.setWord(hasNulls ? 1 : 0, 4);
  values.setWord(oid | 0, 8);
  values.setWord(length, 12);
  values.setWord(1, 16);
  return length === 0 ? values.toBuffer(EMPTY_HEADER_BYTES) : values.toBuffer();
}

/** What the server says of a row type. */
export interface RowLayout {
  readonly oid: number;
  /** In their order, with the identifiers of their types. */
  readonly attributes: readonly { readonly name: string; readonly oid: number }[];
}

/** The rows that an array of these columns is made of. */
export type RowOf<Columns extends Readonly<Record<string, ValueType>>> = {
  readonly [Name in keyof Columns]: ValueTypes[Columns[Name]] | null;
};

type ValuesByName = Readonly<Record<string, ValueTypes[ValueType] | null | undefined>>;

/** A row type of the server lacks a column, or has another type for it: its migrations are not those of this version. */
export class RowTypeDiffers extends Error {}

/** Rows may hold long texts, all of which lie in one piece of memory. */
const KEPT_BYTES_OF_ROWS = 1024 * 1024;

/**
 * An array of rows in PostgreSQL's binary form. Columns find their place in the server's type by name, so no order can
 * shift. An attribute that is none of the columns becomes null: it belongs to a later version, which runs beside this one.
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

  /** A row of what it has of its own and what it shares with others: one object made of both would cost more than writing it. */
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

  /** Empty again, in the same memory: for whoever has sent what {@link toBuffer} gave. */
  reset(): void {
    this.values.reset(KEPT_BYTES_OF_ROWS);
    this.values.skip(HEADER_BYTES);
    this.length = 0;
  }

  /** The whole parameter, a view of its memory; nothing may be added after it. */
  toBuffer(): Buffer {
    return arrayOf(this.values, { oid: this.oid, length: this.length, hasNulls: false });
  }
}
