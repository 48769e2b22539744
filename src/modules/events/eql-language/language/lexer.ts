import { QueryFault, type Span } from './query-fault.js';

export type TokenKind = 'name' | 'quoted name' | 'text' | 'number' | 'symbol' | 'end';

export interface Token extends Span {
  readonly kind: TokenKind;
  /** A name with its `~`, a symbol, the content of a text, or a number as it is written. Empty for the end token. */
  readonly value: string;
  /** Whether no blank or comment precedes the token. */
  readonly isAdjacent: boolean;
}

const BLANKS = /(?:[ \t\r\n]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const NAME = /[\p{L}_@][\p{L}\p{N}_]*/uy;
const FOLDING_NAME = /[A-Za-z_]\w*~/y;
const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const SYMBOL = /!\[|==|!=|<=|>=|[()[\],.|+\-*/%<>:=?]/y;
const RAW_TEXT = /"""([^\r\n]*?"{0,2})"""(?!")/y;
/** Matches a name between backticks. A backtick in the name is doubled. */
const QUOTED_NAME = /`((?:``|[^`\r\n])*)`(?!`)/y;
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  r: '\r',
  n: '\n',
  f: '\f',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

/** Returns whether a text is a name without backticks. */
export function isName(text: string): boolean {
  NAME.lastIndex = 0;
  return NAME.exec(text)?.[0] === text;
}

/**
 * Returns the tokens of a query and an end token, in linear time.
 * @throws QueryFault
 */
export function tokensOf(text: string): Token[] {
  return new Lexer(text).tokens();
}

class Lexer {
  private at = 0;
  private isAdjacent = true;
  private readonly found: Token[] = [];

  constructor(private readonly text: string) {}

  tokens(): Token[] {
    for (;;) {
      this.skipBlanks();
      if (this.at >= this.text.length) break;
      this.token();
    }
    this.add('end', '', this.at);
    return this.found;
  }

  private skipBlanks(): void {
    const blanks = this.match(BLANKS);
    this.isAdjacent = blanks === null;
    this.at += blanks?.[0].length ?? 0;
    if (this.text.startsWith('/*', this.at)) throw this.fault(this.text.length - this.at, 'a comment has no end: */');
  }

  private token(): void {
    const character = this.text.charAt(this.at);
    if (character === '"') return this.quoted();
    if (character === '`') return this.quotedName();
    if (character === "'") {
      throw this.fault(1, 'texts stand between double quotes', { hint: 'write "…" in place of \'…\'' });
    }
    const name = this.match(FOLDING_NAME) ?? this.match(NAME);
    if (name !== null) return this.add('name', name[0], this.at + name[0].length);
    const number = this.match(NUMBER);
    if (number !== null) return this.number(number[0]);
    const symbol = this.match(SYMBOL);
    if (symbol !== null) return this.add('symbol', symbol[0], this.at + symbol[0].length);
    const unknown = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
    throw this.fault(unknown.length, `'${unknown}' has no meaning here`);
  }

  private number(written: string): void {
    if (!Number.isFinite(Number(written))) throw this.fault(written.length, 'numbers must be finite');
    this.add('number', written, this.at + written.length);
  }

  private quoted(): void {
    if (this.text.startsWith('"""', this.at)) return this.raw();
    const start = this.at;
    let value = '';
    let at = start + 1;
    for (;;) {
      const character = this.text.charAt(at);
      if (character === '"') break;
      if (character === '' || character === '\n' || character === '\r') {
        throw this.fault(at - start, 'a text has no end', { hint: 'close it with " in the same line' });
      }
      if (character !== '\\') {
        value += character;
        at += 1;
        continue;
      }
      const [meant, length] = this.escape(at);
      value += meant;
      at += length;
    }
    this.add('text', value, at + 1);
  }

  /** @returns the character, and the length of its escape */
  private escape(at: number): readonly [string, number] {
    const known = ESCAPES[this.text.charAt(at + 1)];
    if (known !== undefined) return [known, 2];
    const code = /^\\u\{([0-9a-fA-F]{2,8})\}/.exec(this.text.slice(at, at + 12));
    if (code === null) {
      throw new QueryFault(
        'syntax',
        { offset: at, length: Math.min(2, this.text.length - at) },
        'this escape is unknown',
        {
          expected: ['\\b', '\\t', '\\r', '\\n', '\\f', '\\\\', '\\"', "\\'", '\\u{…}'],
          hint: 'write \\\\ for a backslash, or """…""" for a text without escapes',
        },
      );
    }
    const [written, digits = ''] = code;
    const point = Number.parseInt(digits, 16);
    if (point === 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
      throw new QueryFault('syntax', { offset: at, length: written.length }, 'this is no character of a text');
    }
    return [String.fromCodePoint(point), written.length];
  }

  private raw(): void {
    const raw = this.match(RAW_TEXT);
    if (raw === null) {
      throw this.fault(this.text.length - this.at, 'a text has no end', { hint: 'close it with """ in the same line' });
    }
    this.add('text', raw[1] ?? '', this.at + raw[0].length);
  }

  private quotedName(): void {
    const quoted = this.match(QUOTED_NAME);
    if (quoted === null) throw this.fault(1, 'a name has no end: `');
    const [written, name = ''] = quoted;
    if (name === '') throw this.fault(1, 'a name is empty');
    this.add('quoted name', name.replaceAll('``', '`'), this.at + written.length);
  }

  private add(kind: TokenKind, value: string, end: number): void {
    const { at, isAdjacent } = this;
    this.found.push({ kind, value, offset: at, length: end - at, isAdjacent });
    this.at = end;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text);
  }

  private fault(length: number, sentence: string, help = {}): QueryFault {
    return new QueryFault('syntax', { offset: this.at, length }, sentence, help);
  }
}
