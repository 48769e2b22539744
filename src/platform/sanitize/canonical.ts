import { MASK } from './mask.js';
import { ESCAPES, type Meaning, readEscape } from './unescape.js';

/** Escapes within escapes are undone so often. */
const MOST_ROUNDS = 8;
/** Stands for a mask: matches nothing. */
const BARRIER = 0;
const MAY_ESCAPE = /[%&\\=<]/;
const INVISIBLE = /[\0\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/;
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;
const NEWLINE = 10;
const SPACE = 32;

/** A text as bytes of UTF-8, one a character of `text`, each with the place in the source that it comes from. */
export interface Bytes {
  readonly text: string;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Whether `=41` is read as quoted-printable: undecidable, so both readings are looked at. */
export type Notation = keyof typeof ESCAPES;

/**
 * What is passed over in comparing. `lines`: line breaks with the indentation behind them. `spaces`: all white space, and
 * what stands for it or is lost where it stands (`+`, and `=` and `;`, which also end escapes).
 */
export type Gaps = 'lines' | 'spaces';

class Builder {
  private readonly bytes: Buffer;
  private readonly starts: Int32Array;
  private readonly ends: Int32Array;
  private size = 0;

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafe(capacity);
    this.starts = new Int32Array(capacity);
    this.ends = new Int32Array(capacity);
  }

  byte(byte: number, start: number, end: number): void {
    this.bytes[this.size] = byte;
    this.starts[this.size] = start;
    this.ends[this.size] = end;
    this.size += 1;
  }

  codePoint(codePoint: number, start: number, end: number): void {
    if (codePoint > BARRIER && codePoint < 0x80) return this.byte(codePoint, start, end);
    const character = String.fromCodePoint(codePoint);
    if (INVISIBLE.test(character)) return;
    if (LINE_BREAK.test(character)) return this.byte(NEWLINE, start, end);
    if (/\s/.test(character)) return this.byte(SPACE, start, end);
    for (const byte of Buffer.from(character, 'utf8')) this.byte(byte, start, end);
  }

  meaning(meaning: Meaning, start: number, end: number): void {
    if (meaning === null) return;
    if ('byte' in meaning) {
      if (meaning.byte !== BARRIER) this.byte(meaning.byte & 0xff, start, end);
    } else this.codePoint(meaning.codePoint, start, end);
  }

  done(): Bytes {
    const { size } = this;
    return {
      text: this.bytes.toString('latin1', 0, size),
      starts: this.starts.subarray(0, size),
      ends: this.ends.subarray(0, size),
    };
  }
}

/** A text as it stands. */
export function bytesOf(text: string): Bytes {
  const builder = new Builder(3 * text.length);
  for (let at = 0; at < text.length;) {
    if (text.startsWith(MASK, at)) {
      builder.byte(BARRIER, at, at + MASK.length);
      at += MASK.length;
      continue;
    }
    const codePoint = text.codePointAt(at) ?? 0;
    const end = at + (codePoint > 0xffff ? 2 : 1);
    builder.codePoint(codePoint, at, end);
    at = end;
  }
  return builder.done();
}

/** The text as it stands and with its escapes undone once, twice …, until there are none. Linear in its length. */
export function readings(bytes: Bytes, notation: Notation): Bytes[] {
  const all = [bytes];
  for (let round = 0, last = bytes; round < MOST_ROUNDS && MAY_ESCAPE.test(last.text); round += 1) {
    const next = undone(last, new RegExp(ESCAPES[notation], 'g'));
    if (next === null) break;
    all.push(next);
    last = next;
  }
  return all;
}

function undone({ text, starts, ends }: Bytes, escapes: RegExp): Bytes | null {
  // No escape is shorter than what it stands for.
  const builder = new Builder(text.length);
  let done = 0;
  let isChanged = false;
  const copyTo = (end: number): void => {
    for (; done < end; done += 1) builder.byte(text.charCodeAt(done), starts[done] ?? 0, ends[done] ?? 0);
  };
  for (let match = escapes.exec(text); match !== null; match = escapes.exec(text)) {
    const escape = readEscape(match[0]);
    if (escape === null) {
      escapes.lastIndex = match.index + 1;
      continue;
    }
    isChanged = true;
    copyTo(match.index);
    done = match.index + escape.length;
    escapes.lastIndex = done;
    builder.meaning(escape.meaning, starts[match.index] ?? 0, ends[done - 1] ?? 0);
  }
  if (!isChanged) return null;
  copyTo(text.length);
  return builder.done();
}

const SKIPPED: Readonly<Record<Gaps, ReadonlySet<number>>> = {
  lines: codesOf('\n\r'),
  spaces: codesOf('\t\n\v\f\r +=;'),
};
const INDENTATION = codesOf('\t ');

function codesOf(characters: string): ReadonlySet<number> {
  return new Set(Buffer.from(characters, 'latin1'));
}

/** The bytes that count in comparing. What is no UTF-8 is read as Latin-1, as some escapes mean it. */
export function compared({ text, starts, ends }: Bytes, gaps: Gaps): Bytes {
  const builder = new Builder(2 * text.length);
  const skipped = SKIPPED[gaps];
  let isBehindBreak = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text.charCodeAt(at);
    const isSkipped: boolean = skipped.has(byte) || (isBehindBreak && INDENTATION.has(byte));
    isBehindBreak = isSkipped && (isBehindBreak || byte === NEWLINE || byte === 13);
    if (isSkipped) continue;
    const length = byte < 0x80 ? 1 : lengthOfCharacter(text, at);
    if (length === 0) builder.codePoint(byte, starts[at] ?? 0, ends[at] ?? 0);
    for (let left = length; left > 0; left -= 1) {
      const here = at + length - left;
      builder.byte(text.charCodeAt(here), starts[here] ?? 0, ends[here] ?? 0);
    }
    at += Math.max(0, length - 1);
  }
  return builder.done();
}

/** Of the UTF-8 sequence that begins at `at`; 0 when none does. */
function lengthOfCharacter(text: string, at: number): number {
  const first = text.charCodeAt(at);
  const length =
    first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  for (let next = 1; next < length; next += 1) {
    const code = text.charCodeAt(at + next);
    if (!(code >= 0x80 && code <= 0xbf)) return 0;
  }
  return length;
}
