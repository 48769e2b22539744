import { fold } from '../../../platform/case-folding/index.js';
import type { SearchWords } from './search-words.js';

/** Maximum number of characters of {@link HitScore.text}. */
export const MOST_EXCERPT = 160;

/** The scores of a field, highest first. */
const EQUAL = 1;
const ID_EQUAL = 0.9;
const BEGINS = 0.8;
const WORD_BEGINS = 0.6;
const ANYWHERE = 0.4;

/** The highest possible score. */
export const MAX_SCORE = EQUAL;

export interface SearchField {
  readonly name: string;
  /** Null: the hit has no such field. */
  readonly text: string | null;
  readonly isId?: true;
}

/** The score of a hit, and the field with this score. */
export interface HitScore {
  /** From 0.4 to 1. */
  readonly score: number;
  readonly field: string;
  /** The text of that field, up to {@link MOST_EXCERPT} characters around the first match. */
  readonly text: string;
}

interface Standing {
  readonly score: number;
  /**
   * The index of the whole search text in the folded text. If the whole text does not occur, the index of the first
   * word.
   */
  readonly at: number;
  readonly length: number;
  readonly isWhole: boolean;
}

/**
 * Scores a hit. A hit matches when each word occurs in at least one of its fields. Its score is the highest score of
 * its fields. If several fields have this score, the first one is reported. Returns null when the hit does not match.
 */
export function scoreOf(fields: readonly SearchField[], query: SearchWords): HitScore | null {
  const present = fields.flatMap(({ name, text, isId }) =>
    text === null ? [] : [{ name, text, folded: fold(text), isId: isId === true }],
  );
  if (!query.words.every((word) => present.some(({ folded }) => folded.includes(word)))) return null;
  let best: { standing: Standing; name: string; text: string; folded: string } | undefined;
  for (const { name, text, folded, isId } of present) {
    const standing = standingOf(folded, query, isId);
    if (standing === null || (best !== undefined && !isBetter(standing, best.standing))) continue;
    best = { standing, name, text, folded };
  }
  if (best === undefined) return null;
  const { standing, name, text, folded } = best;
  return { score: standing.score, field: name, text: round(text, folded, standing) };
}

/** Returns the beginning of a text, with at most {@link MOST_EXCERPT} characters. */
export function excerptOf(text: string): string {
  return text.length <= MOST_EXCERPT ? text : [...text].slice(0, MOST_EXCERPT).join('');
}

/** Returns null when no word occurs in the text. */
function standingOf(folded: string, { words, whole }: SearchWords, isId: boolean): Standing | null {
  const at = folded.indexOf(whole);
  if (at >= 0) {
    return { score: scoreOfWhole(folded, whole, at, isId), at, length: whole.length, isWhole: true };
  }
  const places = words.map((word) => ({ word, at: folded.indexOf(word) })).filter(({ at: place }) => place >= 0);
  const [first] = places.sort((a, b) => a.at - b.at);
  return first === undefined ? null : { score: ANYWHERE, at: first.at, length: first.word.length, isWhole: false };
}

function scoreOfWhole(folded: string, whole: string, first: number, isId: boolean): number {
  if (folded === whole) return isId ? ID_EQUAL : EQUAL;
  if (first === 0) return BEGINS;
  for (let at = first; at >= 0; at = folded.indexOf(whole, at + 1)) {
    if (!isLetterOrDigit(characterBefore(folded, at))) return WORD_BEGINS;
  }
  return ANYWHERE;
}

function isBetter(one: Standing, other: Standing): boolean {
  return one.score > other.score || (one.score === other.score && one.isWhole && !other.isWhole);
}

function characterBefore(text: string, at: number): string {
  const code = text.charCodeAt(at - 1);
  return text.slice(code >= 0xdc00 && code <= 0xdfff ? at - 2 : at - 1, at);
}

function isLetterOrDigit(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character);
}

/**
 * Returns the excerpt around the match. Positions are counted in characters, because folding replaces each character by
 * one character, which may have another length in UTF-16.
 */
function round(text: string, folded: string, { at, length }: Standing): string {
  if (text.length <= MOST_EXCERPT) return text;
  const characters = [...text];
  const first = [...folded.slice(0, at)].length;
  const matched = [...folded.slice(at, at + length)].length;
  const before = Math.max(0, Math.floor((MOST_EXCERPT - matched) / 2));
  const from = Math.max(0, Math.min(first - before, characters.length - MOST_EXCERPT));
  return characters.slice(from, from + MOST_EXCERPT).join('');
}
