/** How much of an answer's body is read. */
const MOST_BODY_BYTES = 8_192;

/** Collects the first 8 KiB of a body. */
export class AnswerText {
  private readonly chunks: Buffer[] = [];
  private size = 0;

  get isFull(): boolean {
    return this.size === MOST_BODY_BYTES;
  }

  add(chunk: Buffer): void {
    const part = chunk.subarray(0, MOST_BODY_BYTES - this.size);
    this.size += part.length;
    // A copy: the part would hold on to the whole chunk.
    this.chunks.push(Buffer.from(part));
  }

  /** A character that the limit cut in two is left out; what else is not UTF-8 is replaced. */
  toString(): string {
    return new TextDecoder().decode(Buffer.concat(this.chunks), { stream: this.isFull });
  }
}
