import {
  type EventFilterNode,
  type Expression,
  type Field,
  type Pipe,
  PIPES,
  type Query,
  type SampleQuery,
  type SequenceQuery,
  type Term,
} from './ast.js';
import { ExpressionParser } from './expression-parser.js';
import { QUERY_LIMITS } from './limits.js';
import { QueryFault, type Span } from './query-fault.js';
import { TokenReader } from './token-reader.js';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DAY_MS = 86_400_000;

/**
 * Reads a whole query.
 * @throws QueryFault
 */
export function parseQuery(text: string): Query {
  return new QueryParser(text).query();
}

/**
 * Reads a single condition, as it follows `where`.
 * @throws QueryFault
 */
export function parseCondition(text: string): Expression {
  const tokens = new TokenReader(text);
  const condition = new ExpressionParser(tokens).condition();
  if (tokens.next.kind !== 'end') tokens.refuse(['and', 'or', 'an operator', 'the end']);
  return condition;
}

class QueryParser {
  private readonly tokens: TokenReader;
  private readonly expressions: ExpressionParser;

  constructor(text: string) {
    this.tokens = new TokenReader(text);
    this.expressions = new ExpressionParser(this.tokens);
  }

  query(): Query {
    const { tokens } = this;
    const query = this.body();
    if (tokens.next.kind !== 'end') {
      tokens.refuse(query.type === 'events' ? ['and', 'or', 'an operator', '|', 'the end'] : ['[', '|', 'the end']);
    }
    return query;
  }

  private body(): Query {
    const { tokens } = this;
    if (tokens.isWord('sequence')) return this.sequence();
    if (tokens.isWord('sample')) return this.sample();
    if (tokens.isWord('join')) {
      tokens.refuse(
        ['sequence', 'sample'],
        'write sample by … for events in any order, sequence by … for events in theirs',
      );
    }
    return { type: 'events', filter: this.filter(), pipes: this.pipes() };
  }

  private filter(): EventFilterNode {
    const first = this.tokens.next;
    const category = this.category();
    this.tokens.expectWord('where');
    const condition = this.expressions.condition();
    return { category, condition, span: this.tokens.since(first) };
  }

  /** Parses the event type, with or without quotes. @returns null for `any` */
  private category(): string | null {
    const { tokens } = this;
    if (tokens.takeWord('any') !== null) return null;
    const { kind, value } = tokens.next;
    const isName = kind === 'name' && !value.endsWith('~');
    if (!isName && kind !== 'quoted name' && kind !== 'text') {
      tokens.refuse(['an event type', 'any', 'sequence', 'sample']);
    }
    let category = tokens.take().value;
    while (kind === 'name' && tokens.takeSymbol('.') !== null) {
      if (tokens.next.kind !== 'name') tokens.refuse(['a name']);
      category += `.${tokens.take().value}`;
    }
    return category;
  }

  private sequence(): SequenceQuery {
    const { tokens } = this;
    const first = tokens.take();
    const keys = this.keys();
    const maxspanMs = this.maxspan();
    if (tokens.isWord('by')) tokens.refuse(['['], 'write by before with maxspan');
    const terms: Term[] = [];
    while (this.beginsTerm()) {
      terms.push(this.term());
      if (terms.length > QUERY_LIMITS.sequence_stages) {
        throw new QueryFault(
          'limit',
          this.last(terms),
          `a sequence has at most ${QUERY_LIMITS.sequence_stages} stages`,
        );
      }
    }
    if (terms.length === 0) tokens.refuse(['[', '![', 'by', 'with maxspan=']);
    const until = tokens.takeWord('until') === null ? null : this.untilTerm();
    const pipes = this.pipes();
    this.checkSequence(tokens.since(first), keys, terms, until, maxspanMs);
    return { type: 'sequence', keys, maxspanMs, terms, until, pipes };
  }

  private untilTerm(): Term {
    if (!this.tokens.isSymbol('[')) this.tokens.refuse(['[']);
    const term = this.term(false);
    if (this.tokens.isWord('with')) this.tokens.refuse(['|', 'the end'], 'until ends a sequence once, without runs');
    return term;
  }

  private checkSequence(
    span: Span,
    keys: readonly Field[],
    terms: readonly Term[],
    until: Term | null,
    maxspanMs: number | null,
  ): void {
    if (terms.length === 1 && terms.every(({ runs, isMissing }) => runs === 1 && !isMissing)) {
      throw new QueryFault('semantics', span, 'a sequence has two stages or more', {
        hint: 'add a stage, or with runs= to the only one',
      });
    }
    const missing = terms.find(({ isMissing }) => isMissing);
    if (missing !== undefined && terms.every(({ isMissing }) => isMissing)) {
      throw new QueryFault('semantics', missing.span, 'a sequence needs an event that is there');
    }
    if (missing !== undefined && maxspanMs === null) {
      throw new QueryFault('semantics', missing.span, 'missing events need a maxspan', {
        hint: 'write sequence … with maxspan=5m',
      });
    }
    const spelled = terms.reduce((sum, { runs }) => sum + runs, 0);
    if (spelled > QUERY_LIMITS.spelled_stages) {
      throw new QueryFault(
        'limit',
        span,
        `a sequence has at most ${QUERY_LIMITS.spelled_stages} stages once its runs are spelled out`,
      );
    }
    this.checkKeys(keys, until === null ? terms : [...terms, until]);
  }

  private sample(): SampleQuery {
    const { tokens } = this;
    const first = tokens.take();
    const keys = this.keys();
    if (tokens.isWord('with')) tokens.refuse(['['], 'samples have no order and no maxspan');
    const terms: Term[] = [];
    while (this.beginsTerm()) {
      const term = this.term();
      if (term.isMissing || term.runs !== 1) {
        throw new QueryFault('semantics', term.span, 'a sample has neither missing events nor runs');
      }
      terms.push(term);
    }
    if (terms.length === 0) tokens.refuse(['[', 'by']);
    const span = tokens.since(first);
    if (tokens.isWord('until')) tokens.refuse(['[', 'the end'], 'samples have no order and no until');
    if (tokens.isSymbol('|')) tokens.refuse(['[', 'the end'], 'samples take no pipes: use limit and result_position');
    if (terms.length < QUERY_LIMITS.sample_terms_min)
      throw new QueryFault('semantics', span, 'a sample has two terms or more');
    if (terms.length > QUERY_LIMITS.sample_terms) {
      throw new QueryFault('limit', this.last(terms), `a sample has at most ${QUERY_LIMITS.sample_terms} terms`);
    }
    this.checkKeys(keys, terms);
    if (keys.length === 0 && terms.every((term) => term.keys.length === 0)) {
      throw new QueryFault('semantics', span, 'a sample needs keys', { hint: 'write sample by …' });
    }
    return { type: 'sample', keys, terms };
  }

  private checkKeys(shared: readonly Field[], terms: readonly Term[]): void {
    const [first] = terms;
    for (const { keys, span } of terms) {
      if (keys.length !== first?.keys.length) {
        throw new QueryFault(
          'semantics',
          span,
          `${keys.length} keys here and ${first?.keys.length ?? 0} in the first term`,
          {
            hint: 'every term has the same number of keys',
          },
        );
      }
      if (shared.length + keys.length > QUERY_LIMITS.keys) {
        throw new QueryFault('limit', span, `events are joined by at most ${QUERY_LIMITS.keys} keys`);
      }
    }
  }

  private beginsTerm(): boolean {
    return this.tokens.isSymbol('[') || this.tokens.isSymbol('![');
  }

  private term(takesRuns = true): Term {
    const { tokens } = this;
    const first = tokens.take();
    const isMissing = first.value === '![';
    const filter = this.filter();
    tokens.expectSymbol(']', [']', 'and', 'or', 'an operator']);
    const keys = this.keys();
    const runs = takesRuns && tokens.isWord('with') ? this.runs() : 1;
    return { filter, keys, isMissing, runs, span: tokens.since(first) };
  }

  private keys(): Field[] {
    if (this.tokens.takeWord('by') === null) return [];
    const keys: Field[] = [];
    do keys.push(this.expressions.field());
    while (this.tokens.takeSymbol(',') !== null);
    return keys;
  }

  private runs(): number {
    const { tokens } = this;
    tokens.take();
    tokens.expectWord('runs');
    tokens.expectSymbol('=');
    const sign = tokens.takeSymbol('-');
    const number = tokens.next;
    if (number.kind !== 'number') tokens.refuse(['a whole number']);
    tokens.take();
    const runs = Number(number.value);
    if (sign !== null || !Number.isInteger(runs) || runs < 1) {
      throw new QueryFault('semantics', tokens.since(sign ?? number), 'runs is a whole number from 1 on');
    }
    if (runs > QUERY_LIMITS.runs) {
      throw new QueryFault('limit', number, `a stage has at most ${QUERY_LIMITS.runs} runs`);
    }
    return runs;
  }

  private maxspan(): number | null {
    const { tokens } = this;
    if (tokens.takeWord('with') === null) return null;
    tokens.expectWord('maxspan');
    tokens.expectSymbol('=');
    const number = tokens.next;
    const unit = tokens.ahead(1);
    if (number.kind !== 'number') tokens.refuse(['a duration, such as 5m']);
    tokens.take();
    if (unit.kind !== 'name' || !unit.isAdjacent) tokens.refuse(Object.keys(UNITS));
    tokens.take();
    const span = tokens.since(number);
    const perUnit = Object.hasOwn(UNITS, unit.value) ? UNITS[unit.value] : undefined;
    if (perUnit === undefined) {
      throw new QueryFault('semantics', unit, `'${unit.value}' is no unit of time`, { expected: Object.keys(UNITS) });
    }
    const ms = Number(number.value) * perUnit;
    if (!/^\d+$/.test(number.value) || ms === 0) {
      throw new QueryFault('semantics', span, 'maxspan is a whole number of units, 1 at least', {
        hint: 'write 1500ms for one and a half seconds',
      });
    }
    if (ms > QUERY_LIMITS.maxspan_days * DAY_MS) {
      throw new QueryFault('limit', span, `maxspan is at most ${QUERY_LIMITS.maxspan_days} days`);
    }
    return ms;
  }

  private pipes(): Pipe[] {
    const { tokens } = this;
    const pipes: Pipe[] = [];
    while (tokens.takeSymbol('|') !== null) {
      const { kind, value } = tokens.next;
      if (kind !== 'name') tokens.refuse(PIPES);
      const name = PIPES.find((pipe) => pipe === value);
      if (name === undefined) {
        throw new QueryFault('semantics', tokens.next, `there is no pipe ${value}`, {
          expected: PIPES,
          hint: 'put conditions behind where, and use head and tail',
        });
      }
      const pipe = tokens.take();
      if (pipes.length >= QUERY_LIMITS.pipes) {
        throw new QueryFault('limit', pipe, `a query has at most ${QUERY_LIMITS.pipes} pipes`);
      }
      pipes.push({ name, count: this.count() });
    }
    return pipes;
  }

  private count(): number {
    const { tokens } = this;
    const sign = tokens.takeSymbol('-');
    const number = tokens.next;
    if (number.kind !== 'number') tokens.refuse(['a whole number']);
    tokens.take();
    const count = Number(number.value);
    if (sign !== null || !/^\d+$/.test(number.value) || count < 1) {
      throw new QueryFault('semantics', tokens.since(sign ?? number), 'head and tail take a whole number from 1 on');
    }
    if (count > QUERY_LIMITS.pipe_results) {
      throw new QueryFault('limit', number, `head and tail take at most ${QUERY_LIMITS.pipe_results}`);
    }
    return count;
  }

  private last(terms: readonly Term[]): Span {
    return terms.at(-1)?.span ?? this.tokens.next;
  }
}
