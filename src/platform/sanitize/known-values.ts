import { type Bytes, bytesOf, compared, type Gaps, type Notation, readings } from './canonical.js';
import { MASK } from './mask.js';
import { cutAtEnd, occurrences } from './search.js';

const GAPS: readonly Gaps[] = ['spaces', 'lines'];
/** Replaces a mask with characters that no value contains. It has the same length as the mask. */
const BLANK = '\0'.repeat(MASK.length);
/** Values of at least this length are also found when white space interrupts them at any position. */
const BROKEN_LENGTH = 8;

/** Values of at least this length are masked wherever they occur. Shorter ones are masked only as separate words. */
const ANYWHERE_LENGTH = 4;
/**
 * Values of at least this length are also found as base64 inside a longer encoded text. Shorter values would match by
 * chance.
 */
const EMBEDDED_LENGTH = 8;
const SCHEME = /^[A-Za-z][A-Za-z0-9-]{1,20}[ \t]+(?=\S)/;

/**
 * The minimum number of matching characters for which the end of a text is treated as the beginning of a value, when it
 * is not known whether the text was cut.
 */
const TOLD_BY_LENGTH = 8;

type Span = readonly [start: number, end: number];

/** The patterns that are searched for, by notation and by ignored characters. */
type Needles = Readonly<Record<Notation, Readonly<Record<Gaps, ReadonlySet<string>>>>>;

/**
 * Masks values that the caller knows to be secret, in every form in which a receiver may return them, with any mix of
 * escapes.
 */
export class KnownValues {
  /** The values as they were given, and encodings of whole values. Escapes of single characters are not included. */
  private readonly exact: readonly string[];
  private readonly alone: readonly string[];
  private readonly needles: Needles;

  constructor(values: readonly string[]) {
    const parts = new Set(values.flatMap((value) => [value, value.trim(), value.trim().replace(SCHEME, '')]));
    const forms = new Set([...parts].flatMap(formsOf).filter((form) => form !== ''));
    this.exact = [...forms].filter((form) => form.length >= ANYWHERE_LENGTH);
    this.alone = [...forms].filter((form) => form.length < ANYWHERE_LENGTH).sort((a, b) => b.length - a.length);
    this.needles = needlesOf(parts);
  }

  private get isEmpty(): boolean {
    return this.exact.length === 0 && this.alone.length === 0;
  }

  mask(text: string): string {
    if (this.isEmpty) return text;
    let masked = replaced(text, [...this.exactSpans(text), ...this.escapedSpans(text)]);
    for (const form of this.alone) masked = outsideMasks(masked, (part) => replaceWords(part, form));
    return masked;
  }

  /**
   * Masks the beginning of a known value at the end of the text. `isCut` is true when the text is known to be cut
   * there.
   */
  maskCutEnd(text: string, isCut: boolean): string {
    if (this.isEmpty) return text;
    const least = isCut ? ANYWHERE_LENGTH : TOLD_BY_LENGTH;
    let from = text.length;
    for (const form of this.exact) {
      const length = cutAtEnd(text, form);
      if (length >= least) from = Math.min(from, text.length - length);
    }
    this.eachReading(text, (reading, needles) => {
      for (const needle of needles) {
        const length = cutAtEnd(reading.text, needle);
        if (length >= least) from = Math.min(from, reading.starts[reading.text.length - length] ?? from);
      }
    });
    return from === text.length ? text : text.slice(0, from) + MASK;
  }

  private exactSpans(text: string): Span[] {
    const spans: Span[] = [];
    const plain = text.replaceAll(MASK, BLANK);
    for (const form of this.exact) {
      addSpans(spans, occurrences(plain, form), (at) => [at, at + form.length]);
    }
    return spans;
  }

  private escapedSpans(text: string): Span[] {
    const spans: Span[] = [];
    this.eachReading(text, ({ text: bytes, starts, ends }, needles) => {
      for (const needle of needles) {
        addSpans(spans, occurrences(bytes, needle), (at) => [starts[at] ?? 0, ends[at + needle.length - 1] ?? 0]);
      }
    });
    return spans;
  }

  private eachReading(text: string, look: (reading: Bytes, needles: ReadonlySet<string>) => void): void {
    const common = readings(bytesOf(text), 'common');
    const lookIn = (notation: Notation, all: readonly Bytes[]): void => {
      for (const gaps of GAPS) {
        const needles = this.needles[notation][gaps];
        if (needles.size > 0) for (const reading of all) look(compared(reading, gaps), needles);
      }
    };
    lookIn('common', common);
    // If the text contains no `=`, both notations give the same result.
    if (common.some((reading) => reading.text.includes('='))) {
      lookIn('quotedPrintable', readings(bytesOf(text), 'quotedPrintable'));
    }
  }
}

/**
 * Returns the patterns of each value: the value as it is, and the value with its own escapes decoded, as they are
 * decoded in the text.
 */
function needlesOf(parts: ReadonlySet<string>): Needles {
  const whole = [...parts].flatMap(wholeForms).map((form) => form.replace(/[+=]/g, ''));
  const needlesIn = (notation: Notation): Record<Gaps, Set<string>> => {
    const needles = {
      spaces: new Set(whole.filter(({ length }) => length >= BROKEN_LENGTH)),
      lines: new Set<string>(),
    };
    for (const part of parts) {
      const all = readings(bytesOf(part), notation);
      for (const reading of new Set([all[0], all.at(-1)])) {
        if (reading === undefined) continue;
        const dense = compared(reading, 'spaces').text;
        const loose = compared(reading, 'lines').text;
        if (dense.length >= BROKEN_LENGTH) needles.spaces.add(dense);
        else if (loose.length >= ANYWHERE_LENGTH) needles.lines.add(loose);
      }
    }
    return needles;
  };
  return { common: needlesIn('common'), quotedPrintable: needlesIn('quotedPrintable') };
}

/**
 * Adds the spans of one pattern, whose positions are in ascending order. Overlapping spans are merged, which limits
 * their number.
 */
function addSpans(spans: Span[], places: Iterable<number>, spanAt: (place: number) => Span): void {
  let open: Span | null = null;
  for (const place of places) {
    const [start, end] = spanAt(place);
    if (open !== null && start < open[1]) open = [open[0], end];
    else {
      if (open !== null) spans.push(open);
      open = [start, end];
    }
  }
  if (open !== null) spans.push(open);
}

/** Returns the text with a mask in place of each span. Overlapping spans get one mask. */
function replaced(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let masked = '';
  let done = 0;
  let open: Span | null = null;
  const close = (): void => {
    if (open === null) return;
    masked += text.slice(done, open[0]) + MASK;
    done = open[1];
  };
  for (const span of [...spans].sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
    if (open !== null && span[0] < open[1]) open = [open[0], Math.max(open[1], span[1])];
    else {
      close();
      open = span;
    }
  }
  close();
  return masked + text.slice(done);
}

function outsideMasks(text: string, change: (part: string) => string): string {
  return text.split(MASK).map(change).join(MASK);
}

function replaceWords(text: string, word: string): string {
  let masked = '';
  let done = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const isAlone = !/[A-Za-z0-9]/.test(text.charAt(at - 1)) && !/[A-Za-z0-9]/.test(text.charAt(at + word.length));
    if (at < done || !isAlone) continue;
    masked += text.slice(done, at) + MASK;
    done = at + word.length;
  }
  return masked + text.slice(done);
}

function formsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const percent = encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\ufffd'));
  const strict = percent.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const forms = [
    value,
    json,
    json.replaceAll('/', '\\/'),
    asciiJson(json),
    JSON.stringify(json).slice(1, -1),
    percent,
    strict,
  ];
  forms.push(
    strict.replaceAll('%20', '+'),
    ...[percent, strict].map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
  );
  forms.push(value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
  return [...forms, ...wholeForms(value)];
}

/** Returns encodings of the value as a whole, such as hex and base64. Escapes of single characters are not included. */
function wholeForms(value: string): string[] {
  if (value.length < ANYWHERE_LENGTH) return [];
  const bytes = Buffer.from(value, 'utf8');
  const forms = [bytes.toString('hex'), bytes.toString('hex').toUpperCase()];
  for (const encoded of [bytes.toString('base64'), bytes.toString('base64url')])
    forms.push(encoded, encoded.replace(/=+$/, ''));
  return bytes.length >= EMBEDDED_LENGTH ? [...forms, ...embeddedBase64(bytes)] : forms;
}

function asciiJson(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Returns the base64 digits that depend only on this value. There are three variants, one for each position in a base64
 * group.
 */
function embeddedBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const firstWhole = offset === 0 ? 0 : offset + 1;
    const wholeDigits = Math.floor(((offset + bytes.length) * 8) / 6);
    const digits = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(firstWhole, wholeDigits);
    return [digits, digits.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
