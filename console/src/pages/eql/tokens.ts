/** The kind of a token, which decides its colour. */
export type TokenKind = 'word' | 'keyword' | 'function' | 'text' | 'number' | 'name' | 'comment' | 'sign';

export interface Token {
  readonly kind: TokenKind | null;
  readonly text: string;
}

const PARTS =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<text>"""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?)|(?<name>`[^`\n]*`?)|(?<number>\b\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:ms|s|m|h|d)?\b)|(?<word>[@A-Za-z_][\w@]*(?:\.\w+)*~?)|(?<sign>[!=<>:+\-*/%|[\]]+)/g;

/** Splits a query into tokens. Joined, they are always the query's text, whatever is wrong with it. */
export function tokensOf(query: string, keywords: ReadonlySet<string>): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (const match of query.matchAll(PARTS)) {
    if (match.index > at) tokens.push({ kind: null, text: query.slice(at, match.index) });
    const [text] = match;
    at = match.index + text.length;
    const groups = Object.entries<string | undefined>(match.groups ?? {});
    const group = groups.find(([, value]) => value !== undefined)?.[0] as TokenKind;
    tokens.push({ kind: group === 'word' ? wordKind(text, query.slice(at), keywords) : group, text });
  }
  if (at < query.length) tokens.push({ kind: null, text: query.slice(at) });
  return tokens;
}

function wordKind(word: string, behind: string, keywords: ReadonlySet<string>): TokenKind {
  if (keywords.has(word)) return 'keyword';
  return /^\s*\(/.test(behind) ? 'function' : 'word';
}

/** Splits tokens so that the wrong part is separate. @param from index in UTF-16 code units, like `to` */
export function marked(tokens: readonly Token[], from: number, to: number): (Token & { readonly isWrong: boolean })[] {
  let at = 0;
  return tokens.flatMap(({ kind, text }) => {
    const [start, end] = [at, at + text.length];
    at = end;
    const [first, last] = [Math.max(start, from), Math.min(end, to)];
    if (first >= last) return [{ kind, text, isWrong: false }];
    return [
      { kind, text: text.slice(0, first - start), isWrong: false },
      { kind, text: text.slice(first - start, last - start), isWrong: true },
      { kind, text: text.slice(last - start), isWrong: false },
    ].filter((part) => part.text !== '');
  });
}
