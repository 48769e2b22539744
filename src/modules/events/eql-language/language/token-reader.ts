import { type Token, tokensOf } from './lexer.js';
import { QueryFault, type Span, spanBetween } from './query-fault.js';

/** Goes through the tokens of a query; whoever reads says what it wants, and the fault is told where it is not there. */
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

  /** The name that comes after so many tokens; empty when it is none. */
  wordAhead(count: number): string {
    const { kind, value } = this.ahead(count);
    return kind === 'name' ? value : '';
  }

  /** Takes the symbol when it is the next one. */
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

  /** From a token to the last one that was taken. */
  since(first: Span): Span {
    return spanBetween(first, this.tokens[this.at - 1] ?? first);
  }

  /** The next token is none of what is expected. */
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

/** What those mean who write in another dialect. */
function hintFor({ kind, value }: Token): string | null {
  if (kind === 'symbol' && value === '=') return 'write == for equal values, or : for equal values in any case';
  if (kind === 'name' && value === 'of') return 'relations of processes (child of, descendant of) cannot be asked for';
  if (kind === 'name' && /^(AND|OR|NOT|IN|WHERE|TRUE|FALSE|NULL)$/.test(value)) return `write ${value.toLowerCase()}`;
  return null;
}
