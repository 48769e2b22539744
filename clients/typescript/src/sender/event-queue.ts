/** One request: its events as lines, and the key under which the service takes it once. */
export interface Batch {
  readonly key: string;
  readonly lines: readonly string[];
  readonly bytes: number;
}

/** Two requests with the halves of a batch of two events or more. They have keys of their own: a key belongs to one body. */
export function halves({ lines }: Batch): Batch[] {
  const middle = Math.ceil(lines.length / 2);
  return [lines.slice(0, middle), lines.slice(middle)].map((half) => ({
    key: globalThis.crypto.randomUUID(),
    lines: half,
    bytes: half.reduce((sum, line) => sum + bytesOf(line), 0),
  }));
}

const encoder = new TextEncoder();

/** Of a line with its end. */
function bytesOf(line: string): number {
  return encoder.encode(line).length + 1;
}

/** What a queued event takes beside its text. */
const BYTES_OF_A_LINE = 64;

/** Events that wait, as the text they are sent as, in the order in which they came; never more than so many bytes. */
export class EventQueue {
  private lines: { readonly text: string; readonly bytes: number }[] = [];
  private waitingBytes = 0;

  constructor(private readonly maxBytes: number) {}

  get length(): number {
    return this.lines.length;
  }

  get bytes(): number {
    return this.waitingBytes;
  }

  /** @returns false when there is no room; `held` bytes are taken by what has left the queue and has no answer yet */
  add(text: string, held: number): boolean {
    const bytes = bytesOf(text);
    if (this.waitingBytes + held + bytes + BYTES_OF_A_LINE > this.maxBytes) return false;
    this.lines.push({ text, bytes });
    this.waitingBytes += bytes + BYTES_OF_A_LINE;
    return true;
  }

  /** The oldest events, as many as a request may have, at least one; null when none waits. */
  take(maxEvents: number, maxBytes: number): Batch | null {
    let count = 0;
    let bytes = 0;
    for (const line of this.lines) {
      if (count > 0 && (count >= maxEvents || bytes + line.bytes > maxBytes)) break;
      bytes += line.bytes;
      count += 1;
    }
    if (count === 0) return null;
    const lines = this.lines.splice(0, count).map(({ text }) => text);
    this.waitingBytes -= bytes + count * BYTES_OF_A_LINE;
    return { key: globalThis.crypto.randomUUID(), lines, bytes };
  }
}
