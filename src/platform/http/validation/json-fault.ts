/** The position of an error in JSON text, with its description. `position` counts characters (code points) from 0. */
export interface JsonFault {
  position: number;
  error: string;
}

const VALUE = 'Expecting value';
const NAME = 'Expecting property name enclosed in double quotes';
const LITERALS = ['true', 'false', 'null'];

/**
 * Finds the first fault of a text that JSON.parse refused, or returns null. JSON.parse gives no position for half of
 * the faults, and its messages repeat parts of the text. The messages and positions are the same as those of Python's
 * decoder. The search does not recurse and takes linear time.
 */
export function findJsonFault(text: string): JsonFault | null {
  const fault = new JsonScan(text).run();
  if (!fault) return null;
  let pairs = 0;
  for (let at = 0; at < fault.position; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code <= 0xdbff && isLowSurrogate(text.charCodeAt(at + 1))) pairs++;
  }
  return { position: fault.position - pairs, error: fault.error };
}

class JsonScan {
  private at = 0;
  private fault: JsonFault | null = null;
  /** The open containers, outermost first. */
  private readonly open: ('{' | '[')[] = [];

  constructor(private readonly text: string) {}

  run(): JsonFault | null {
    this.skipSpace();
    while (!this.fault && this.value()) {
      if (!this.afterValue()) break;
    }
    if (!this.fault && this.at < this.text.length) this.fail('Extra data');
    return this.fault;
  }

  /**
   * Reads a scalar or an empty container. Otherwise opens containers up to the first scalar inside, and reads that
   * scalar.
   */
  private value(): boolean {
    for (;;) {
      const start = this.text[this.at];
      if (start === '"') return this.string();
      if (start !== '{' && start !== '[') return this.literal() || this.number() || this.fail(VALUE);
      this.at++;
      this.skipSpace();
      if (this.text[this.at] === (start === '{' ? '}' : ']')) {
        this.at++;
        return true;
      }
      this.open.push(start);
      if (start === '{' && !this.name()) return false;
    }
  }

  /** Advances to the next value. Returns false when the outermost value has ended, or at a fault. */
  private afterValue(): boolean {
    for (;;) {
      this.skipSpace();
      const inside = this.open.at(-1);
      if (inside === undefined) return false;
      const next = this.text[this.at];
      if (next === (inside === '{' ? '}' : ']')) {
        this.open.pop();
        this.at++;
        continue;
      }
      if (next !== ',') return this.fail("Expecting ',' delimiter");
      this.at++;
      this.skipSpace();
      return inside === '[' || this.name();
    }
  }

  private name(): boolean {
    if (this.text[this.at] !== '"') return this.fail(NAME);
    if (!this.string()) return false;
    this.skipSpace();
    if (this.text[this.at] !== ':') return this.fail("Expecting ':' delimiter");
    this.at++;
    this.skipSpace();
    return true;
  }

  private string(): boolean {
    const start = this.at;
    for (this.at++; this.at < this.text.length; this.at++) {
      const code = this.text.charCodeAt(this.at);
      if (code === 0x22) {
        this.at++;
        return true;
      }
      if (code < 0x20) return this.fail('Invalid control character at');
      if (code === 0x5c && !this.escape()) break;
    }
    return this.fault === null && this.fail('Unterminated string starting at', start);
  }

  // Advances to the last character of the escape. Returns false at a fault or at the end of the text.
  private escape(): boolean {
    const kind = this.text[this.at + 1];
    if (kind === undefined) return false;
    if (kind === 'u') {
      if (!/^[0-9a-f]{4}$/i.test(this.text.slice(this.at + 2, this.at + 6))) {
        return this.fail('Invalid \\uXXXX escape', this.at + 1);
      }
      this.at += 5;
      return true;
    }
    if (!'"\\/bfnrt'.includes(kind)) return this.fail('Invalid \\escape');
    this.at++;
    return true;
  }

  private literal(): boolean {
    const found = LITERALS.find((word) => this.text.startsWith(word, this.at));
    this.at += found?.length ?? 0;
    return found !== undefined;
  }

  private number(): boolean {
    let end = this.at + (this.text[this.at] === '-' ? 1 : 0);
    if (this.text[end] === '0') end++;
    else if (this.digits(end) > end) end = this.digits(end);
    else return false;
    if (this.text[end] === '.' && this.digits(end + 1) > end + 1) end = this.digits(end + 1);
    if (this.text[end] === 'e' || this.text[end] === 'E') {
      const sign = this.text[end + 1];
      const from = end + (sign === '+' || sign === '-' ? 2 : 1);
      if (this.digits(from) > from) end = this.digits(from);
    }
    this.at = end;
    return true;
  }

  private digits(from: number): number {
    let end = from;
    while (end < this.text.length && this.text.charCodeAt(end) >= 48 && this.text.charCodeAt(end) <= 57) end++;
    return end;
  }

  private skipSpace(): void {
    while (this.at < this.text.length && ' \t\n\r'.includes(this.text.charAt(this.at))) this.at++;
  }

  private fail(error: string, position = this.at): false {
    this.fault = { position, error };
    return false;
  }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
