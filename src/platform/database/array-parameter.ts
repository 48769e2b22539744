/** Element types by PostgreSQL's object identifiers, which are the same in every version. */
const TYPES = {
  bool: 16,
  bytea: 17,
  int4: 23,
  text: 25,
  timestamptz: 1184,
  uuid: 2950,
  jsonb: 3802,
} as const;

const HEADER_BYTES = 20;
/** A parameter that is used again keeps no more than this. */
const KEPT_BYTES = 256 * 1024;
const POSTGRES_EPOCH_MS = 946_684_800_000;
const JSONB_VERSION = 1;

/**
 * A one-dimensional array in PostgreSQL's binary form, to be sent as a parameter. Nothing in it is escaped by us and
 * parsed again by the server, which is what arrays as text cost. Values must be of the array's type.
 */
export class ArrayParameter {
  private buffer = Buffer.allocUnsafe(512);
  private end = HEADER_BYTES;
  private length = 0;
  private hasNulls = false;

  constructor(private readonly type: keyof typeof TYPES) {}

  addNull(): void {
    this.reserve(4);
    this.end = this.buffer.writeInt32BE(-1, this.end);
    this.length += 1;
    this.hasNulls = true;
  }

  addBoolean(value: boolean): void {
    this.begin(1);
    this.end = this.buffer.writeUInt8(value ? 1 : 0, this.end);
  }

  addInteger(value: number): void {
    this.begin(4);
    this.end = this.buffer.writeInt32BE(value, this.end);
  }

  /** In the canonical form of 36 characters. */
  addUuid(value: string | null): void {
    if (value === null) return this.addNull();
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

  addText(value: string | null): void {
    if (value === null) return this.addNull();
    this.reserve(4 + value.length * 3);
    const size = this.buffer.write(value, this.end + 4, 'utf8');
    this.finishText(size);
  }

  /** JSON text, for an array of jsonb. */
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

  /** Empty again, in the same memory: for whoever has sent what {@link toBuffer} gave. */
  reset(): void {
    if (this.buffer.length > KEPT_BYTES) this.buffer = Buffer.allocUnsafe(512);
    this.end = HEADER_BYTES;
    this.length = 0;
    this.hasNulls = false;
  }

  /** The whole parameter, a view of its memory; nothing may be added after it. */
  toBuffer(): Buffer {
    const { buffer } = this;
    // PostgreSQL knows no empty array with a dimension.
    buffer.writeInt32BE(this.length === 0 ? 0 : 1, 0);
    buffer.writeInt32BE(this.hasNulls ? 1 : 0, 4);
    buffer.writeInt32BE(TYPES[this.type], 8);
    buffer.writeInt32BE(this.length, 12);
    buffer.writeInt32BE(1, 16);
    return buffer.subarray(0, this.length === 0 ? 12 : this.end);
  }

  private begin(size: number): void {
    this.reserve(4 + size);
    this.end = this.buffer.writeInt32BE(size, this.end);
    this.length += 1;
  }

  private finishText(size: number): void {
    this.buffer.writeInt32BE(size, this.end);
    this.end += 4 + size;
    this.length += 1;
  }

  private reserve(size: number): void {
    const needed = this.end + size;
    if (needed <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(larger, 0, 0, this.end);
    this.buffer = larger;
  }
}

const HYPHEN = 0x2d;

function nibble(code: number): number {
  return code < 0x40 ? code - 0x30 : (code | 0x20) - 0x57;
}
