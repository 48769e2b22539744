import { parsePattern, type Pattern } from './pattern-syntax.js';

/**
 * The same pattern for PostgreSQL's `~`: every set of characters is spelled out, so that neither its dialect nor its
 * locale changes what matches.
 * @throws PatternFault for a text that is no pattern
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
