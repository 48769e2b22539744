const FIRST_BYTES = 65_536;
/** Maximum number of bytes for a number and its tags. */
const NUMBER_BYTES = 24;
/** Maximum number of UTF-8 bytes for one UTF-16 unit of a string. */
const BYTES_PER_UNIT = 3;
/**
 * Texts up to this length are copied in a loop. Longer texts are copied by a native call, which is slower for short
 * texts.
 */
const SHORT_TEXT = 64;
const LAST_ASCII = 0x7f;
const TWO_TO_32 = 4_294_967_296;
const DIGITS = new Uint8Array(256);
for (const [value, digit] of [...'0123456789abcdef'].entries()) DIGITS[digit.charCodeAt(0)] = value;

/**
 * Writes protobuf messages from the end to the start, because the length of a message precedes its content. Fields are
 * therefore written in descending order, and the value of a field before its tag. A tag is one byte with the number of
 * the field and its wire type.
 */
export class ProtobufWriter {
  private bytes = Buffer.allocUnsafe(FIRST_BYTES);
  private start = FIRST_BYTES;

  /**
   * The number of bytes written so far. The difference between two values is the length of the bytes written in
   * between.
   */
  get size(): number {
    return this.bytes.length - this.start;
  }

  written(): Buffer {
    return this.bytes.subarray(this.start);
  }

  /**
   * Completes a message and writes its length and tag. @param end the `size` before the first field of the message was
   * written
   */
  message(tag: number, end: number): void {
    this.varint(tag, this.size - end);
  }

  text(tag: number, text: string): void {
    this.ensure(text.length * BYTES_PER_UNIT + NUMBER_BYTES);
    const length = this.writeAscii(text) ? text.length : this.writeUtf8(text);
    this.varint(tag, length);
  }

  /** Writes bytes that are given as lower-case hexadecimal digits. */
  hex(tag: number, digits: string): void {
    const length = digits.length / 2;
    this.ensure(length + NUMBER_BYTES);
    this.start -= length;
    for (let at = 0; at < length; at += 1) {
      const [high, low] = [DIGITS[digits.charCodeAt(2 * at)] ?? 0, DIGITS[digits.charCodeAt(2 * at + 1)] ?? 0];
      this.bytes[this.start + at] = (high << 4) | low;
    }
    this.varint(tag, length);
  }

  /** @param value an integer from 0 to 2^53 - 1 */
  varint(tag: number, value: number): void {
    this.ensure(NUMBER_BYTES);
    let length = 1;
    for (let rest = value; rest > LAST_ASCII; rest = Math.floor(rest / 128)) length += 1;
    this.start -= length;
    let rest = value;
    for (let at = this.start; length > 0; length -= 1, at += 1) {
      this.bytes[at] = (rest % 128) | (length > 1 ? 128 : 0);
      rest = Math.floor(rest / 128);
    }
    this.byte(tag);
  }

  double(tag: number, value: number): void {
    this.ensure(NUMBER_BYTES);
    this.start -= 8;
    this.bytes.writeDoubleLE(value, this.start);
    this.byte(tag);
  }

  /** Writes a time as 64-bit nanoseconds since 1970. @param milliseconds milliseconds since 1970, with a fraction */
  time(tag: number, milliseconds: number): void {
    this.ensure(NUMBER_BYTES);
    // Nanoseconds since 1970 exceed 2^53, so the high and the low part are multiplied separately.
    const whole = Math.floor(milliseconds);
    const high = Math.floor(whole / 65_536) * 1e6;
    const low = (whole % 65_536) * 1e6 + Math.floor((milliseconds - whole) * 1e6) + (high % 65_536) * 65_536;
    this.start -= 8;
    this.bytes.writeUInt32LE(low % TWO_TO_32, this.start);
    this.bytes.writeUInt32LE(Math.floor(high / 65_536) + Math.floor(low / TWO_TO_32), this.start + 4);
    this.byte(tag);
  }

  private byte(value: number): void {
    this.start -= 1;
    this.bytes[this.start] = value;
  }

  /** Writes the text if it is short and ASCII. Otherwise writes nothing and returns false. */
  private writeAscii(text: string): boolean {
    const { length } = text;
    if (length > SHORT_TEXT) return false;
    const start = this.start - length;
    for (let at = 0; at < length; at += 1) {
      const code = text.charCodeAt(at);
      if (code > LAST_ASCII) return false;
      this.bytes[start + at] = code;
    }
    this.start = start;
    return true;
  }

  private writeUtf8(text: string): number {
    const length = Buffer.byteLength(text);
    this.start -= length;
    this.bytes.write(text, this.start, length, 'utf8');
    return length;
  }

  private ensure(bytes: number): void {
    if (this.start >= bytes) return;
    const { size } = this;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, size + bytes));
    this.bytes.copy(larger, larger.length - size, this.start);
    this.bytes = larger;
    this.start = larger.length - size;
  }
}
