import { fold } from '../../../../platform/case-folding/index.js';

/** A pattern where `*` stands for any characters and `?` for one. The pattern is parsed once. */
export class Wildcards {
  private readonly pieces: readonly Piece[];
  /** The maximum number of operations for one character of a text. */
  readonly steps: number;

  constructor(
    source: string,
    private readonly isFolding: boolean,
  ) {
    const folded = isFolding ? fold(source) : source;
    this.pieces = folded.split('*').map((text) => new Piece(text));
    this.steps = Math.max(1, ...this.pieces.map(({ steps }) => steps));
  }

  /** Returns whether the whole text matches. */
  matches(text: string): boolean {
    const searched = this.isFolding ? fold(text) : text;
    const [first, ...others] = this.pieces;
    const last = others.pop();
    if (first === undefined) return false;
    let at = first.endAt(searched, 0);
    if (last === undefined) return at === searched.length;
    for (const piece of others) {
      if (at < 0) return false;
      at = piece.endAfter(searched, at);
    }
    return at >= 0 && last.isEndOf(searched, at);
  }
}

/** The part of a pattern between two stars. */
class Piece {
  private readonly characters: readonly string[];
  private readonly isPlain: boolean;

  constructor(private readonly text: string) {
    this.characters = [...text];
    this.isPlain = !text.includes('?');
  }

  get steps(): number {
    return this.isPlain ? 1 : this.characters.length;
  }

  /** Returns where the piece ends if it begins at `start`, or -1 when it does not match there. */
  endAt(text: string, start: number): number {
    if (this.isPlain) return text.startsWith(this.text, start) ? start + this.text.length : -1;
    let at = start;
    for (const character of this.characters) {
      const found = text.codePointAt(at);
      if (found === undefined || (character !== '?' && character.codePointAt(0) !== found)) return -1;
      at += found > 0xffff ? 2 : 1;
    }
    return at;
  }

  /** Returns the end of the first match that begins at `start` or later, or -1 without a match. */
  endAfter(text: string, start: number): number {
    if (this.isPlain) {
      const found = text.indexOf(this.text, start);
      return found < 0 ? -1 : found + this.text.length;
    }
    for (let at = start; at <= text.length; at += 1) {
      if (isWithinPair(text, at)) continue;
      const end = this.endAt(text, at);
      if (end >= 0) return end;
    }
    return -1;
  }

  /** Returns whether the text ends with the piece, which must not begin before `from`. */
  isEndOf(text: string, from: number): boolean {
    let start = text.length;
    for (let count = this.characters.length; count > 0; count -= 1) {
      start -= 1;
      if (isWithinPair(text, start)) start -= 1;
    }
    return start >= from && this.endAt(text, start) === text.length;
  }
}

function isWithinPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return (
    unit >= 0xdc00 && unit < 0xe000 && at > 0 && text.charCodeAt(at - 1) >= 0xd800 && text.charCodeAt(at - 1) < 0xdc00
  );
}
