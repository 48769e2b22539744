import { parsePattern, type Pattern } from './pattern-syntax.js';

/**
 * Returns the same pattern for the operator `~` of PostgreSQL. Every set of characters is spelled out, so that neither
 * the dialect nor the locale of PostgreSQL changes what matches.
 * @throws PatternFault when the text is not a pattern
 */
export function patternForPostgres(source: string): string {
  return written(parsePattern(source));
}

function written(pattern: Pattern): string {
  switch (pattern.type) {
    case 'set':
      return `[${pattern.ranges.map(([from, to]) => (from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`)).join('')}]`;
    case 'start':
      return '^';
    case 'end':
      return '$';
    case 'sequence':
      return pattern.items.length === 0 ? '(?:)' : pattern.items.map(written).join('');
    case 'choice':
      return `(?:${pattern.options.map(written).join('|')})`;
    case 'repeat':
      return `(?:${written(pattern.item)}){${pattern.min},${pattern.max ?? ''}}`;
  }
}

function escaped(code: number): string {
  return `\\U${code.toString(16).padStart(8, '0')}`;
}
