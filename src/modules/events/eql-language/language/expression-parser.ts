import {
  type ArithmeticOperator,
  COMPARISONS,
  type ComparisonOperator,
  type Expression,
  type Field,
  type Literal,
} from './ast.js';
import { resolveName } from './field-names.js';
import { QUERY_LIMITS } from './limits.js';
import { QueryFault, type Span, spanBetween } from './query-fault.js';
import type { TokenReader } from './token-reader.js';
import { isListWord, isPatternWord, LIST_WORDS, PATTERN_WORDS, RESERVED_WORDS } from './words.js';

const VALUE_EXPECTED = ['a field', 'a text', 'a number', 'true', 'false', 'null', 'not', 'a function', '(', '-'];
const SUMS: readonly ArithmeticOperator[] = ['+', '-'];
const PRODUCTS: readonly ArithmeticOperator[] = ['*', '/', '%'];

/**
 * Parses conditions and values by recursive descent. The parser counts the parts and the depth of the query, and
 * refuses a query that exceeds the limits.
 */
export class ExpressionParser {
  private nodes = 0;
  private depth = 0;
  private listed = 0;

  constructor(private readonly tokens: TokenReader) {}

  /** @throws QueryFault */
  condition(): Expression {
    return this.junction('or', () => this.junction('and', () => this.negation()));
  }

  /** Parses a field, as in a list of keys. */
  field(): Field {
    const { tokens } = this;
    const first = tokens.next;
    const isOptional = tokens.takeSymbol('?') !== null;
    const path = [this.pathName(isOptional)];
    for (;;) {
      if (tokens.takeSymbol('.') !== null) path.push(this.pathName(true));
      // A bracket after a blank begins the next term. An index in a list follows without a blank.
      else if (tokens.isSymbol('[') && tokens.next.isAdjacent && tokens.ahead(1).kind === 'number')
        path.push(this.place());
      else break;
    }
    const span = tokens.since(first);
    if (path.length > QUERY_LIMITS.path_names || path.join('.').length > QUERY_LIMITS.field_characters) {
      throw new QueryFault(
        'limit',
        span,
        `a field has at most ${QUERY_LIMITS.path_names} names and ${QUERY_LIMITS.field_characters} characters`,
      );
    }
    this.count(span);
    return { type: 'field', ...resolveName(path), isOptional, span };
  }

  private junction(type: 'and' | 'or', operand: () => Expression): Expression {
    const first = operand();
    if (!this.tokens.isWord(type)) return first;
    const operands = [first];
    while (this.tokens.takeWord(type) !== null) operands.push(operand());
    const span = this.across(first, operands.at(-1) ?? first);
    this.count(span);
    return { type, operands, span };
  }

  private negation(): Expression {
    const word = this.tokens.takeWord('not');
    if (word === null) return this.comparison();
    return this.deeper(word, () => {
      const operand = this.negation();
      const span = this.tokens.since(word);
      this.count(span);
      return { type: 'not', operand, span };
    });
  }

  private comparison(): Expression {
    let left = this.predicate();
    for (;;) {
      const op = COMPARISONS.find((sign) => this.tokens.isSymbol(sign));
      if (op === undefined) return left;
      this.tokens.take();
      left = this.compared(op, left, this.predicate());
    }
  }

  private compared(op: ComparisonOperator, left: Expression, right: Expression): Expression {
    const span = this.across(left, right);
    this.count(span);
    return { type: 'compare', op, left, right, span };
  }

  private predicate(): Expression {
    const { tokens } = this;
    const operand = this.sum();
    const isNegated = tokens.isWord('not') && isListWord(tokens.wordAhead(1));
    if (isNegated) tokens.take();
    const word = tokens.wordAhead(0);
    if (isListWord(word)) {
      tokens.take();
      const values = this.list(() => this.literal());
      const span = tokens.since(operand.span);
      this.count(span);
      return { type: 'in', operand, values, isNegated, ...LIST_WORDS[word], span };
    }
    if (tokens.isWord('not')) tokens.refuse(['and', 'or', 'not in', ']', 'the end']);
    const kind = tokens.isSymbol(':')
      ? ({ kind: ':', isFolding: true } as const)
      : isPatternWord(word)
        ? PATTERN_WORDS[word]
        : undefined;
    if (kind === undefined) return operand;
    tokens.take();
    const patterns = tokens.isSymbol('(') ? this.list(() => this.literal()) : [this.literal()];
    const span = tokens.since(operand.span);
    this.count(span);
    return { type: 'match', ...kind, operand, patterns, span };
  }

  private sum(): Expression {
    return this.operations(SUMS, () => this.operations(PRODUCTS, () => this.signed()));
  }

  private operations(signs: readonly ArithmeticOperator[], operand: () => Expression): Expression {
    let left = operand();
    for (;;) {
      const op = signs.find((sign) => this.tokens.isSymbol(sign));
      if (op === undefined) return left;
      this.tokens.take();
      const right = operand();
      const span = this.across(left, right);
      this.count(span);
      left = { type: 'arithmetic', op, left, right, span };
    }
  }

  private signed(): Expression {
    const sign = this.tokens.takeSymbol('-') ?? this.tokens.takeSymbol('+');
    if (sign === null) return this.value();
    return this.deeper(sign, () => {
      const operand = this.signed();
      const span = this.tokens.since(sign);
      if (sign.value === '+') return operand;
      if (operand.type === 'literal' && typeof operand.value === 'number') {
        return { ...operand, value: -operand.value, span };
      }
      this.count(span);
      return { type: 'negative', operand, span };
    });
  }

  /** Parses a value and the functions that follow it, as in `name:length()`. */
  private value(): Expression {
    const { tokens } = this;
    let value = this.plainValue();
    while (
      tokens.isSymbol(':') &&
      tokens.ahead(1).kind === 'name' &&
      tokens.ahead(1).isAdjacent &&
      tokens.isSymbol('(', 2)
    ) {
      tokens.take();
      value = this.call([value]);
    }
    return value;
  }

  private plainValue(): Expression {
    const { tokens } = this;
    const { kind } = tokens.next;
    if (kind === 'text' || kind === 'number' || this.isConstantWord()) {
      const literal = this.literal(false);
      this.count(literal.span);
      return literal;
    }
    if (tokens.isSymbol('(')) {
      const bracket = tokens.take();
      return this.deeper(bracket, () => {
        const inside = this.condition();
        tokens.expectSymbol(')', [')', 'and', 'or', 'an operator']);
        return inside;
      });
    }
    if (kind === 'name' && tokens.isSymbol('(', 1)) return this.call([]);
    if (kind === 'quoted name' || tokens.isSymbol('?') || (kind === 'name' && !this.isKeyword())) return this.field();
    return tokens.refuse(
      VALUE_EXPECTED,
      this.isKeyword() ? `write \`${tokens.next.value}\` for the field of that name` : null,
    );
  }

  private call(given: readonly Expression[]): Expression {
    const { tokens } = this;
    const name = tokens.take();
    if (RESERVED_WORDS.has(name.value)) {
      throw new QueryFault('syntax', name, `'${name.value}' is not expected here`, { expected: VALUE_EXPECTED });
    }
    return this.deeper(name, () => {
      tokens.expectSymbol('(');
      const args = [...given];
      if (!tokens.isSymbol(')')) {
        do args.push(this.condition());
        while (tokens.takeSymbol(',') !== null);
      }
      tokens.expectSymbol(')', [')', ',', 'an operator']);
      const span = spanBetween(given[0]?.span ?? name, tokens.since(name));
      this.count(span);
      const isFolding = name.value.endsWith('~');
      const plain = isFolding ? name.value.slice(0, -1) : name.value;
      return { type: 'call', name: plain, isFolding, args, nameSpan: name, span };
    });
  }

  private list(item: () => Literal): Literal[] {
    const { tokens } = this;
    tokens.expectSymbol('(');
    const items: Literal[] = [];
    do {
      const literal = item();
      items.push(literal);
      this.listed += 1;
      if (this.listed > QUERY_LIMITS.listed_literals) {
        throw new QueryFault(
          'limit',
          literal.span,
          `lists hold at most ${QUERY_LIMITS.listed_literals} values together`,
        );
      }
    } while (tokens.takeSymbol(',') !== null);
    tokens.expectSymbol(')', [',', ')']);
    return items;
  }

  private literal(isSigned = true): Literal {
    const { tokens } = this;
    const sign = isSigned ? (tokens.takeSymbol('-') ?? tokens.takeSymbol('+')) : null;
    const token = tokens.next;
    const first = sign ?? token;
    if (token.kind === 'number') {
      tokens.take();
      const value = Number(token.value) * (sign?.value === '-' ? -1 : 1);
      return { type: 'literal', value, isDecimal: /[.eE]/.test(token.value), span: tokens.since(first) };
    }
    if (sign !== null) tokens.refuse(['a number']);
    if (token.kind === 'text') {
      tokens.take();
      return { type: 'literal', value: token.value, isDecimal: false, span: token };
    }
    if (this.isConstantWord()) {
      tokens.take();
      const value = token.value === 'null' ? null : token.value === 'true';
      return { type: 'literal', value, isDecimal: false, span: token };
    }
    return tokens.refuse(['a text', 'a number', 'true', 'false', 'null', '(']);
  }

  /**
   * @param isAfterStart whether a keyword is accepted as a name. It is accepted after a dot, where only a name can
   * follow.
   */
  private pathName(isAfterStart: boolean): string {
    const { tokens } = this;
    const { kind, value } = tokens.next;
    const isName =
      kind === 'quoted name' || (kind === 'name' && !value.endsWith('~') && (isAfterStart || !this.isKeyword()));
    if (!isName) tokens.refuse(['the name of a field']);
    return tokens.take().value;
  }

  private place(): string {
    const { tokens } = this;
    tokens.take();
    const place = tokens.take();
    if (!/^(0|[1-9]\d*)$/.test(place.value) || Number(place.value) >= QUERY_LIMITS.places) {
      throw new QueryFault('syntax', place, `a place in a list is a whole number below ${QUERY_LIMITS.places}`);
    }
    tokens.expectSymbol(']');
    return place.value;
  }

  private isConstantWord(): boolean {
    return ['true', 'false', 'null'].some((word) => this.tokens.isWord(word));
  }

  private isKeyword(): boolean {
    const { kind, value } = this.tokens.next;
    return kind === 'name' && (RESERVED_WORDS.has(value) || value.endsWith('~'));
  }

  private across(first: Expression, last: Expression): Span {
    return spanBetween(first.span, last.span);
  }

  private count(span: Span): void {
    this.nodes += 1;
    if (this.nodes > QUERY_LIMITS.nodes) {
      throw new QueryFault('limit', span, `a query has at most ${QUERY_LIMITS.nodes} parts`);
    }
  }

  private deeper(span: Span, read: () => Expression): Expression {
    this.depth += 1;
    if (this.depth > QUERY_LIMITS.depth) {
      throw new QueryFault(
        'limit',
        { offset: span.offset, length: span.length },
        `a query nests at most ${QUERY_LIMITS.depth} levels deep`,
      );
    }
    const expression = read();
    this.depth -= 1;
    return expression;
  }
}
