import type { Pattern } from './pattern-syntax.js';

/**
 * The same pattern for PostgreSQL's `~`: every set of characters is spelled out, so that neither its dialect nor its
 * locale changes what matches.
 */
export function patternForPostgres(pattern: Pattern): string {
  switch (pattern.type) {
    case 'set':
      return `[${pattern.ranges.map(([from, to]) => (from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`)).join('')}]`;
    case 'start':
      return '^';
    case 'end':
      return '$';
    case 'sequence':
      return pattern.items.length === 0 ? '(?:)' : pattern.items.map(patternForPostgres).join('');
    case 'choice':
      return `(?:${pattern.options.map(patternForPostgres).join('|')})`;
    case 'repeat':
      return `(?:${patternForPostgres(pattern.item)}){${pattern.min},${pattern.max ?? ''}}`;
  }
}

function escaped(code: number): string {
  return `\\U${code.toString(16).padStart(8, '0')}`;
}
