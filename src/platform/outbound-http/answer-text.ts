/** The bytes of an answer's body that are read by default. The rest is ignored. */
const MAX_BODY_BYTES = 8_192;

/** Collects the beginning of a body. */
export class AnswerText {
  private readonly chunks: Buffer[] = [];
  private size = 0;

  constructor(private readonly maxBytes = MAX_BODY_BYTES) {}

  get isFull(): boolean {
    return this.size === this.maxBytes;
  }

  add(chunk: Buffer): void {
    const part = chunk.subarray(0, this.maxBytes - this.size);
    this.size += part.length;
    // Copied, because the part would keep the whole chunk in memory.
    this.chunks.push(Buffer.from(part));
  }

  /**
   * Returns the bytes as UTF-8 text. A character that the limit has cut is omitted, and other invalid bytes are
   * replaced.
   */
  toString(): string {
    return new TextDecoder().decode(Buffer.concat(this.chunks), { stream: this.isFull });
  }
}
