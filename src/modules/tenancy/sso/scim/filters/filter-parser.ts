import { isSafeText } from '../../../../../platform/http/validation/index.js';
import { invalidFilter, invalidPath, type ScimFault } from '../protocol/scim-fault.js';
import { type AttributePath, COMPARISONS, type Comparison, type Filter, type FilterValue } from './filter.js';

/** A longer filter is refused. */
export const MAX_FILTER_LENGTH = 2_000;
/** A filter with deeper parentheses is refused. */
export const MAX_FILTER_DEPTH = 10;
/** A filter with more comparisons is refused. */
export const MAX_FILTER_TERMS = 50;

const URN_USER = 'urn:ietf:params:scim:schemas:core:2.0:user:';
const URN_GROUP = 'urn:ietf:params:scim:schemas:core:2.0:group:';
const SPACE = /[ \t]+/y;
const NAME = /[A-Za-z$][\w$-]*/y;
/** Matches the name of an extension, up to its last colon. The name of the attribute follows. */
const URN = /urn:[\w.:-]*:/iy;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;

/** The target of a PATCH operation. */
export interface PatchPath extends AttributePath {
  /** Selects elements of a multi-valued attribute. Null when the path has no filter. */
  readonly filter: Filter | null;
  /** Whether the path names an attribute of an extension. */
  readonly isExtension: boolean;
}

/** Parses the filter of a list. @throws ScimFault invalidFilter */
export function parseFilter(text: string): Filter {
  const reader = new Reader(text, invalidFilter);
  const filter = reader.filter();
  reader.end();
  return filter;
}

/** Parses the path of a PATCH operation. @throws ScimFault invalidPath or invalidFilter */
export function parsePath(text: string): PatchPath {
  const reader = new Reader(text, invalidPath);
  const path = reader.path();
  reader.end();
  return path;
}

/** Reads a filter by recursive descent. `not` has precedence over `and`, and `and` over `or`. */
class Reader {
  private at = 0;
  private depth = 0;
  private terms = 0;

  constructor(
    private readonly text: string,
    private readonly fault: (sentence: string) => ScimFault,
  ) {
    if (text.length > MAX_FILTER_LENGTH) throw fault(`At most ${MAX_FILTER_LENGTH} characters are accepted`);
    if (!isSafeText(text)) throw fault('The text contains characters that cannot be stored');
    this.space();
  }

  end(): void {
    this.space();
    if (this.at < this.text.length) throw this.unexpected('the end');
  }

  filter(): Filter {
    this.depth += 1;
    if (this.depth > MAX_FILTER_DEPTH) throw this.fault(`At most ${MAX_FILTER_DEPTH} levels are accepted`);
    const parts = [this.conjunction()];
    while (this.word('or')) parts.push(this.conjunction());
    this.depth -= 1;
    return joined('or', parts);
  }

  path(): PatchPath {
    const { isExtension, ...name } = this.name();
    if (isExtension) return { ...name, filter: null, isExtension };
    if (!this.take('[')) return { ...name, filter: null, isExtension };
    if (name.sub !== null) throw this.unexpected('the end');
    const filter = this.filter();
    this.close(']');
    const sub = this.take('.') ? this.match(NAME, 'a sub-attribute').toLowerCase() : null;
    return { attribute: name.attribute, sub, filter, isExtension };
  }

  private conjunction(): Filter {
    const parts = [this.term()];
    while (this.word('and')) parts.push(this.term());
    return joined('and', parts);
  }

  private term(): Filter {
    this.space();
    this.terms += 1;
    if (this.terms > MAX_FILTER_TERMS) throw this.fault(`At most ${MAX_FILTER_TERMS} comparisons are accepted`);
    if (this.take('(')) return this.group();
    if (/^not[ \t]*\(/i.test(this.text.slice(this.at))) {
      this.at += 3;
      this.space();
      this.at += 1;
      return { kind: 'not', part: this.group() };
    }
    return this.comparison();
  }

  private group(): Filter {
    const filter = this.filter();
    this.close(')');
    return filter;
  }

  private comparison(): Filter {
    const { isExtension: _, ...path } = this.name();
    if (path.sub === null && this.take('[')) {
      const part = this.filter();
      this.close(']');
      return { kind: 'element', attribute: path.attribute, part };
    }
    if (!this.space()) throw this.unexpected('an operator');
    const operator = this.match(NAME, 'an operator').toLowerCase();
    if (operator === 'pr') return { kind: 'present', path };
    if (!isComparison(operator)) throw this.fault(`Unknown operator: ${operator.slice(0, 20)}`);
    if (!this.space()) throw this.unexpected('a value');
    return { kind: 'compare', path, operator, value: this.value() };
  }

  private name(): AttributePath & { readonly isExtension: boolean } {
    const urn = this.tryMatch(URN)?.toLowerCase();
    const isExtension = urn !== undefined && urn !== URN_USER && urn !== URN_GROUP;
    const attribute = this.match(NAME, 'an attribute').toLowerCase();
    const sub = this.take('.') ? this.match(NAME, 'a sub-attribute').toLowerCase() : null;
    return { attribute: isExtension ? `${urn}${attribute}` : attribute, sub, isExtension };
  }

  private value(): FilterValue {
    const text = this.tryMatch(STRING);
    if (text !== undefined) {
      const value = JSON.parse(text) as string;
      if (!isSafeText(value)) throw this.fault('A value contains characters that cannot be stored');
      return value;
    }
    const number = this.tryMatch(NUMBER);
    if (number !== undefined) return Number(number);
    const word = this.match(NAME, 'a value').toLowerCase();
    if (word === 'true') return true;
    if (word === 'false') return false;
    if (word === 'null') return null;
    throw this.fault('A text value must be in double quotes');
  }

  /** Reads a given word, in any case, if it is the next name. Returns whether it was there. */
  private word(word: string): boolean {
    const before = this.at;
    this.space();
    const found = this.tryMatch(NAME);
    if (found?.toLowerCase() === word) return true;
    this.at = before;
    return false;
  }

  private close(character: string): void {
    this.space();
    if (!this.take(character)) throw this.unexpected(`"${character}"`);
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private space(): boolean {
    return this.tryMatch(SPACE) !== undefined;
  }

  private match(pattern: RegExp, expected: string): string {
    const found = this.tryMatch(pattern);
    if (found === undefined) throw this.unexpected(expected);
    return found;
  }

  private tryMatch(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private unexpected(expected: string): ScimFault {
    return this.fault(`Expected ${expected} at character ${this.at + 1}`);
  }
}

function isComparison(word: string): word is Comparison {
  return (COMPARISONS as readonly string[]).includes(word);
}

function joined(kind: 'and' | 'or', parts: Filter[]): Filter {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : { kind, parts };
}
