import { type Token, tokensOf } from './lexer.js';
import { QueryFault, type Span, spanBetween } from './query-fault.js';

/**
 * Reads the tokens of a query one by one. When an expected token is missing, the reader throws a fault at that place.
 */
export class TokenReader {
  private readonly tokens: readonly Token[];
  private at = 0;

  /** @throws QueryFault */
  constructor(text: string) {
    this.tokens = tokensOf(text);
  }

  get next(): Token {
    return this.ahead(0);
  }

  ahead(count: number): Token {
    const token = this.tokens[Math.min(this.at + count, this.tokens.length - 1)];
    if (token === undefined) throw new Error('A query has an end token');
    return token;
  }

  take(): Token {
    const token = this.next;
    this.at += 1;
    return token;
  }

  isSymbol(value: string, count = 0): boolean {
    const token = this.ahead(count);
    return token.kind === 'symbol' && token.value === value;
  }

  isWord(value: string, count = 0): boolean {
    const token = this.ahead(count);
    return token.kind === 'name' && token.value === value;
  }

  /** Returns the name after `count` further tokens, or an empty text when that token is not a name. */
  wordAhead(count: number): string {
    const { kind, value } = this.ahead(count);
    return kind === 'name' ? value : '';
  }

  /** Consumes and returns the next token if it is the symbol, and otherwise returns null. */
  takeSymbol(value: string): Token | null {
    return this.isSymbol(value) ? this.take() : null;
  }

  takeWord(value: string): Token | null {
    return this.isWord(value) ? this.take() : null;
  }

  /** @throws QueryFault */
  expectSymbol(value: string, expected: readonly string[] = [value]): Token {
    return this.takeSymbol(value) ?? this.refuse(expected);
  }

  /** @throws QueryFault */
  expectWord(value: string): Token {
    return this.takeWord(value) ?? this.refuse([value]);
  }

  /** Returns the span from a token to the last consumed one. */
  since(first: Span): Span {
    return spanBetween(first, this.tokens[this.at - 1] ?? first);
  }

  /** Throws a fault, because the next token is not one of the expected ones. */
  refuse(expected: readonly string[], hint: string | null = null): never {
    const token = this.next;
    const found = token.kind === 'end' ? 'the query ends too early' : `${describe(token)} is not expected here`;
    throw new QueryFault('syntax', token, found, { expected, hint: hint ?? hintFor(token) });
  }
}

function describe({ kind, value }: Token): string {
  if (kind === 'text') return 'a text';
  if (kind === 'number') return `the number ${value}`;
  return `'${value}'`;
}

/** Returns a hint when a token is known from another dialect of the language. */
function hintFor({ kind, value }: Token): string | null {
  if (kind === 'symbol' && value === '=') return 'write == for equal values, or : for equal values in any case';
  if (kind === 'name' && value === 'of') return 'relations of processes (child of, descendant of) cannot be asked for';
  if (kind === 'name' && /^(AND|OR|NOT|IN|WHERE|TRUE|FALSE|NULL)$/.test(value)) return `write ${value.toLowerCase()}`;
  return null;
}
