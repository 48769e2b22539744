import { stringifyExact } from '../../../platform/json/index.js';

/** Returns the beginning of a text, with an ellipsis when it was cut. No pair of surrogates is cut in two. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text.toWellFormed();
  const end = Math.max(0, maxLength - 1);
  const cut = isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
  return `${text.slice(0, cut)}…`.toWellFormed();
}

/** Returns a value as text: nothing for null, JSON for objects and lists. */
export function textOf(value: unknown, maxLength: number): string {
  if (value === null || value === undefined) return '';
  return cutText(typeof value === 'string' ? value : stringifyExact(value), maxLength);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
