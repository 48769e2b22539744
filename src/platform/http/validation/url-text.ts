const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
// The URL parser drops or rewrites these characters without an error. They are refused, so that the stored URL is the
// checked one.
const REWRITTEN = /[\s\\]|\p{Cc}/u;

/** Returns the scheme in lower case, or why the text is not an absolute URL. */
export function parseUrl(text: string): { scheme: string } | { error: string } {
  if (text === '') return { error: 'input is empty' };
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return { error: 'relative URL without a base' };
  if (REWRITTEN.test(text)) return { error: 'invalid character' };
  const hierarchical = scheme === 'http' || scheme === 'https';
  if (hierarchical && !text.startsWith('//', scheme.length + 1)) return { error: 'expected //' };
  if (hierarchical && /[/?#]|^$/.test(text.slice(scheme.length + 3, scheme.length + 4))) return { error: 'empty host' };
  return URL.canParse(text) ? { scheme } : { error: 'invalid host or port' };
}
