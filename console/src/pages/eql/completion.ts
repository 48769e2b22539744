import type { Schemas } from '@operational-events/client';

type Language = Schemas['LanguageResponse'];

export interface Suggestion {
  /** The text that is inserted. */
  readonly text: string;
  /** The kind of the suggestion, in a word or two. */
  readonly about: string;
  /** A longer description, if there is one. */
  readonly description?: string | undefined;
}

export interface Completion {
  /** Index at which the written text begins. */
  readonly from: number;
  readonly suggestions: readonly Suggestion[];
}

const MOST = 40;
/** The text that is being written: a word with dots, a name between backticks, or an event type between quotes. */
const WRITTEN = /(?:`(?:``|[^`\n])*|"[^"\n]*|[@A-Za-z_][\w@.]*)$/;
/** Text after which an event type is expected. */
const BEFORE_EVENT = /(?:^|\[|\bby\s+[\w.,\s`?]+?\n|\buntil\s*\[)\s*$/;
const QUOTED = /^[\w.]+$/;

/**
 * Returns the suggestions for a position of a query.
 * @param isAsked whether somebody requested suggestions; without that, they need at least one written character
 */
export function completionAt(query: string, place: number, language: Language, isAsked: boolean): Completion {
  const before = query.slice(0, place);
  const written = WRITTEN.exec(before)?.[0] ?? '';
  const from = place - written.length;
  if (written === '' && !isAsked) return { from, suggestions: [] };
  const known = candidates(before.slice(0, from), language);
  const wanted = written.replace(/^["`]/, '').toLowerCase();
  const begins = known.filter(({ text }) => bare(text).startsWith(wanted));
  const holds = known.filter(({ text }) => bare(text).includes(wanted) && !bare(text).startsWith(wanted));
  const suggestions = [...begins, ...holds].slice(0, MOST);
  // A text that is already complete needs no list.
  return { from, suggestions: suggestions.length === 1 && suggestions[0]?.text === written ? [] : suggestions };
}

function bare(text: string): string {
  return text.replace(/^["`]/, '').toLowerCase();
}

function candidates(before: string, language: Language): Suggestion[] {
  if (/\|\s*$/.test(before)) return language.pipes.map((text) => ({ text, about: 'pipe' }));
  const types = language.categories.map((name) => ({
    text: QUOTED.test(name) ? name : JSON.stringify(name),
    about: 'event',
  }));
  const keywords = language.keywords.map((text) => ({ text, about: 'keyword' }));
  if (BEFORE_EVENT.test(before)) return [...types, ...keywords];
  const fields = language.fields.map(({ name, type, is_property }) => ({
    text: name,
    about: is_property ? `property, ${type}` : type,
  }));
  const functions = language.functions.map((each) => ({
    text: each.name,
    about: `function, ${each.returns}`,
    description: `${each.name}(${each.arguments.map(argumentOf).join(', ')}): ${each.description}`,
  }));
  return [...fields, ...functions, ...keywords];
}

function argumentOf({ name, is_optional, is_variadic }: Schemas['LanguageArgument']): string {
  return `${name}${is_variadic ? ', …' : ''}${is_optional ? '?' : ''}`;
}
