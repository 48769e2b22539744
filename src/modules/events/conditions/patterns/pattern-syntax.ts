import { foldingPairs } from '../../../../platform/case-folding/index.js';

/** Inclusive ranges of code points, ascending and separate from each other. */
export type Ranges = readonly (readonly [number, number])[];

export type Pattern =
  | { readonly type: 'set'; readonly ranges: Ranges }
  | { readonly type: 'start' }
  | { readonly type: 'end' }
  | { readonly type: 'sequence'; readonly items: readonly Pattern[] }
  | { readonly type: 'choice'; readonly options: readonly Pattern[] }
  /** A maximum of null allows any number of times. */
  | { readonly type: 'repeat'; readonly item: Pattern; readonly min: number; readonly max: number | null };

/** Maximum length of a pattern. `MAX_POSITIONS` limits the automaton of the pattern. */
export const MAX_PATTERN_LENGTH = 200;
/** The number of characters of a text that are searched. `$` also matches at the end of these characters. */
export const MAX_SEARCHED = 4_096;
const MAX_REPEAT = 100;
const MAX_GROUPS_DEPTH = 20;

/** The text is not a pattern. The message says why, and goes to the client. */
export class PatternFault extends Error {}

const LAST = 0x10ffff;
const DIGIT: Ranges = [[48, 57]];
const WORD: Ranges = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const SPACE: Ranges = [
  [9, 13],
  [32, 32],
];
const CLASSES: Readonly<Record<string, Ranges>> = { d: DIGIT, w: WORD, s: SPACE };
const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9 };
const IGNORE_CASE = '(?i)';

/**
 * Reads a regular expression of the subset that can be matched in linear time: literals, `.` (all but a line feed),
 * classes, `\d \w \s` (ASCII) and their opposites, groups, `|`, `^`, `$`, the quantifiers `* + ? {n} {n,} {n,m}`, and
 * `(?i)` at the beginning, which ignores the case of ASCII letters. Lazy quantifiers are accepted; they do not change
 * whether a text matches.
 * @throws PatternFault for anything else, such as back references and lookaround
 */
export function parsePattern(source: string): Pattern {
  const ignoreCase = source.startsWith(IGNORE_CASE);
  const text = ignoreCase ? source.slice(IGNORE_CASE.length) : source;
  return new PatternParser([...text], ignoreCase ? inEitherAsciiCase : asWritten).parse();
}

/**
 * Reads a regular expression for texts that are folded (`fold`) before they are searched. Each set of characters also
 * contains the folded forms of its characters.
 * @throws PatternFault
 */
export function parseFoldedPattern(source: string): Pattern {
  return new PatternParser([...source], foldedRanges).parse();
}

/** Extends a set of characters for a search that ignores case. */
type CaseRule = (ranges: Ranges) => Ranges;

const asWritten: CaseRule = (ranges) => ranges;

const inEitherAsciiCase: CaseRule = (ranges) => [
  ...ranges,
  ...shifted(ranges, 65, 90, 32),
  ...shifted(ranges, 97, 122, -32),
];

const foldedRanges: CaseRule = (ranges) => {
  const folded = [...ranges, ...shifted(ranges, 65, 90, 32)];
  if (ranges.every(([, to]) => to < 0x80)) return folded;
  for (const [code, target] of foldingPairs()) {
    if (ranges.some(([from, to]) => code >= from && code <= to)) folded.push([target, target]);
  }
  return folded;
};

function shifted(ranges: Ranges, from: number, to: number, by: number): Ranges {
  return ranges
    .map(([low, high]) => [Math.max(low, from) + by, Math.min(high, to) + by] as const)
    .filter(([low, high]) => low <= high);
}

class PatternParser {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly text: readonly string[],
    private readonly inAnyCase: CaseRule,
  ) {}

  parse(): Pattern {
    const pattern = this.choice();
    if (this.at < this.text.length) throw new PatternFault("unmatched ')'");
    return pattern;
  }

  private choice(): Pattern {
    const options = [this.sequence()];
    while (this.take('|')) options.push(this.sequence());
    if (options.length === 1 && options[0]) return options[0];
    // A choice between sets of characters is the same as the union of the sets.
    const sets = options.flatMap((option) => (option.type === 'set' ? option.ranges : []));
    return options.every(({ type }) => type === 'set') ? set(joined(sets)) : { type: 'choice', options };
  }

  private sequence(): Pattern {
    const items: Pattern[] = [];
    for (let next = this.peek(); next !== undefined && next !== '|' && next !== ')'; next = this.peek()) {
      items.push(this.quantified());
    }
    return items.length === 1 && items[0] ? items[0] : { type: 'sequence', items };
  }

  private quantified(): Pattern {
    const item = this.atom();
    const bounds = this.quantifier();
    if (bounds === null) return item;
    if (item.type === 'start' || item.type === 'end') throw new PatternFault('an anchor cannot be repeated');
    this.take('?');
    if (this.quantifier() !== null) throw new PatternFault('multiple repeat');
    return { type: 'repeat', item, ...bounds };
  }

  private quantifier(): { min: number; max: number | null } | null {
    if (this.take('*')) return { min: 0, max: null };
    if (this.take('+')) return { min: 1, max: null };
    if (this.take('?')) return { min: 0, max: 1 };
    if (this.peek() !== '{') return null;
    const close = this.text.indexOf('}', this.at);
    const bounds = /^(\d{1,3})(?:(,)(\d{1,3})?)?$/.exec(this.text.slice(this.at + 1, Math.max(close, 0)).join(''));
    if (!bounds) throw new PatternFault("'{' must begin {n}, {n,} or {n,m}; write \\{ for the character");
    this.at = close + 1;
    const min = Number(bounds[1]);
    const max = bounds[2] === undefined ? min : bounds[3] === undefined ? null : Number(bounds[3]);
    if (min > MAX_REPEAT || (max ?? 0) > MAX_REPEAT) throw new PatternFault(`repeat counts go up to ${MAX_REPEAT}`);
    if (max !== null && max < min) throw new PatternFault('the counts of a repeat are the wrong way round');
    return { min, max };
  }

  private atom(): Pattern {
    const character = this.next();
    switch (character) {
      case '^':
        return { type: 'start' };
      case '$':
        return { type: 'end' };
      case '.':
        return set(opposite([[10, 10]]));
      case '(':
        return this.group();
      case '[':
        return set(this.bracket());
      case '\\':
        return set(this.escape());
      case '*':
      case '+':
      case '?':
      case '{':
        throw new PatternFault(`nothing to repeat before '${character}'`);
      default:
        return set(this.folded([single(character)]));
    }
  }

  private group(): Pattern {
    if (this.take('?') && !this.take(':')) {
      throw new PatternFault('groups are (…) or (?:…); looking around and flags inside a pattern cannot be used');
    }
    if (++this.depth > MAX_GROUPS_DEPTH) throw new PatternFault('groups nest too deep');
    const pattern = this.choice();
    if (!this.take(')')) throw new PatternFault("missing ')'");
    this.depth--;
    return pattern;
  }

  private bracket(): Ranges {
    const negated = this.take('^');
    const ranges: (readonly [number, number])[] = [];
    for (let first = true; first || this.peek() !== ']'; first = false) {
      if (this.peek() === undefined) throw new PatternFault("missing ']'");
      const low = this.member();
      const isRange = this.peek() === '-' && this.text[this.at + 1] !== ']' && this.text[this.at + 1] !== undefined;
      if (!isRange) {
        ranges.push(...low);
        continue;
      }
      this.at++;
      const high = this.member();
      const [from, to] = [only(low), only(high)];
      if (to < from) throw new PatternFault('a range of characters is the wrong way round');
      ranges.push([from, to]);
    }
    this.at++;
    const members = negated ? opposite(this.folded(ranges)) : this.folded(ranges);
    if (members.length === 0) throw new PatternFault('a class that holds no character');
    return members;
  }

  private member(): Ranges {
    const character = this.next();
    if (character === '\\') return this.escape();
    if (character === '[') throw new PatternFault("write \\[ for the character '[' between brackets");
    return [single(character)];
  }

  private escape(): Ranges {
    const character = this.next();
    const control = CONTROLS[character];
    if (control !== undefined) return [[control, control]];
    const named = CLASSES[character.toLowerCase()];
    if (named) return character === character.toLowerCase() ? named : opposite(named);
    if (/[0-9A-Za-z]/.test(character)) throw new PatternFault(`\\${character} cannot be used`);
    return [single(character)];
  }

  private folded(ranges: Ranges): Ranges {
    return joined(this.inAnyCase(ranges));
  }

  private peek(): string | undefined {
    return this.text[this.at];
  }

  private next(): string {
    const character = this.text[this.at++];
    if (character === undefined) throw new PatternFault('the pattern ends too early');
    return character;
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }
}

function set(ranges: Ranges): Pattern {
  return { type: 'set', ranges };
}

function single(character: string): readonly [number, number] {
  const code = character.codePointAt(0) ?? 0;
  return [code, code];
}

function only(ranges: Ranges): number {
  const [range] = ranges;
  if (ranges.length !== 1 || range === undefined || range[0] !== range[1]) {
    throw new PatternFault('a range goes from one character to another');
  }
  return range[0];
}

function joined(ranges: Ranges): Ranges {
  const result: [number, number][] = [];
  for (const [low, high] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else result.push([low, high]);
  }
  return result;
}

/** Returns all other characters except NUL, which no text contains. */
function opposite(ranges: Ranges): Ranges {
  const result: [number, number][] = [];
  let from = 1;
  for (const [low, high] of joined(ranges)) {
    if (low > from) result.push([from, low - 1]);
    from = Math.max(from, high + 1);
  }
  if (from <= LAST) result.push([from, LAST]);
  return result;
}
