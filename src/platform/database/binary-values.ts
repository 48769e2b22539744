/** The types of values that are sent in PostgreSQL's binary form, with their types in TypeScript. */
export interface ValueTypes {
  readonly bool: boolean;
  readonly bytea: Uint8Array;
  readonly int4: number;
  readonly text: string;
  readonly timestamptz: Date;
  /** The canonical form of 36 characters. */
  readonly uuid: string;
  /** JSON text. */
  readonly jsonb: string;
}
export type ValueType = keyof ValueTypes;

/** PostgreSQL's object identifiers, which are the same in every version. */
export const TYPE_OIDS: Readonly<Record<ValueType, number>> = {
  bool: 16,
  bytea: 17,
  int4: 23,
  text: 25,
  timestamptz: 1184,
  uuid: 2950,
  jsonb: 3802,
};

const FIRST_BYTES = 512;
const POSTGRES_EPOCH_MS = 946_684_800_000;
const JSONB_VERSION = 1;
const NULL_LENGTH = -1;
const HYPHEN = 0x2d;

/** A growing buffer of values in PostgreSQL's binary form. The length of each value precedes it. */
export class BinaryValues {
  private buffer = Buffer.allocUnsafe(FIRST_BYTES);
  private end = 0;

  /** Returns the offset of the next value, in bytes. */
  get size(): number {
    return this.end;
  }

  add<Type extends ValueType>(type: Type, value: ValueTypes[Type] | null): void {
    if (value === null) this.addWord(NULL_LENGTH);
    else ADD[type](this, value);
  }

  /** Appends a four-byte integer without a length before it. */
  addWord(value: number): void {
    this.reserve(4);
    this.end = this.buffer.writeInt32BE(value, this.end);
  }

  /** Overwrites four bytes at an offset. */
  setWord(value: number, at: number): void {
    this.buffer.writeInt32BE(value, at);
  }

  /** Reserves space that is written later. */
  skip(bytes: number): void {
    this.reserve(bytes);
    this.end += bytes;
  }

  addBoolean(value: boolean): void {
    this.begin(1);
    this.end = this.buffer.writeUInt8(value ? 1 : 0, this.end);
  }

  addInteger(value: number): void {
    this.begin(4);
    this.end = this.buffer.writeInt32BE(value, this.end);
  }

  addUuid(value: string): void {
    this.begin(16);
    const { buffer } = this;
    let { end } = this;
    for (let at = 0; at < 36; at += 2) {
      if (value.charCodeAt(at) === HYPHEN) at += 1;
      buffer[end] = (nibble(value.charCodeAt(at)) << 4) | nibble(value.charCodeAt(at + 1));
      end += 1;
    }
    this.end = end;
  }

  addTime(value: Date): void {
    this.begin(8);
    this.end = this.buffer.writeBigInt64BE(BigInt(value.getTime() - POSTGRES_EPOCH_MS) * 1000n, this.end);
  }

  addText(value: string): void {
    this.reserve(4 + value.length * 3);
    const size = this.buffer.write(value, this.end + 4, 'utf8');
    this.finishText(size);
  }

  addJson(value: string): void {
    this.reserve(5 + value.length * 3);
    this.buffer.writeUInt8(JSONB_VERSION, this.end + 4);
    const size = this.buffer.write(value, this.end + 5, 'utf8');
    this.finishText(size + 1);
  }

  addBytes(value: Uint8Array): void {
    this.begin(value.length);
    this.buffer.set(value, this.end);
    this.end += value.length;
  }

  /** Empties the buffer. Its memory is kept unless it has grown beyond `keptBytes`. */
  reset(keptBytes: number): void {
    if (this.buffer.length > keptBytes) this.buffer = Buffer.allocUnsafe(FIRST_BYTES);
    this.end = 0;
  }

  /** Returns a view of the memory, which is valid until the next {@link reset}. */
  toBuffer(bytes = this.end): Buffer {
    return this.buffer.subarray(0, bytes);
  }

  private begin(size: number): void {
    this.reserve(4 + size);
    this.end = this.buffer.writeInt32BE(size, this.end);
  }

  private finishText(size: number): void {
    this.buffer.writeInt32BE(size, this.end);
    this.end += 4 + size;
  }

  private reserve(size: number): void {
    const needed = this.end + size;
    if (needed <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(larger, 0, 0, this.end);
    this.buffer = larger;
  }
}

const ADD: { readonly [Type in ValueType]: (values: BinaryValues, value: ValueTypes[Type]) => void } = {
  bool: (values, value) => values.addBoolean(value),
  bytea: (values, value) => values.addBytes(value),
  int4: (values, value) => values.addInteger(value),
  text: (values, value) => values.addText(value),
  timestamptz: (values, value) => values.addTime(value),
  uuid: (values, value) => values.addUuid(value),
  jsonb: (values, value) => values.addJson(value),
};

function nibble(code: number): number {
  return code < 0x40 ? code - 0x30 : (code | 0x20) - 0x57;
}
