import { MASK } from './mask.js';
import { ESCAPES, type Meaning, readEscape } from './unescape.js';

/** The maximum number of decoding rounds, which is needed for escapes inside of escapes. */
const MOST_ROUNDS = 8;
/** The byte that stands for a mask. No value contains this byte. */
const BARRIER = 0;
const MAY_ESCAPE = /[%&\\=<]/;
const INVISIBLE = /[\0\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/;
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;
const NEWLINE = 10;
const SPACE = 32;

/**
 * A text as UTF-8. `text` has one character for each byte, and `starts` and `ends` have the position of each byte in
 * the source.
 */
export interface Bytes {
  readonly text: string;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/**
 * Whether `=41` is decoded as quoted-printable. The text does not show which notation is used, so both are searched.
 */
export type Notation = keyof typeof ESCAPES;

/**
 * The characters that a comparison ignores. `lines`: line breaks and the indentation after them. `spaces`: all white
 * space, and characters that may replace or separate it (`+`, and `=` and `;`, which also end escapes).
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

/** Returns the bytes of a text without decoding escapes. */
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

/** Returns the text as it is, and the text after each round of decoding until no escape remains. Takes linear time. */
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
  // An escape is never shorter than the text that it stands for.
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

/**
 * Returns the bytes that a comparison uses. Bytes that are not valid UTF-8 are read as Latin-1, because some escapes
 * use that encoding.
 */
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

/** Returns the length of the UTF-8 sequence at `at`, or 0 when no sequence begins there. */
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
