const SPECIAL = /^[+-]?(?:inf(?:inity)?|nan)$/i;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/**
 * Reads an integer as Python's `int()` does, with surrounding spaces, a sign and single underscores between digits. A
 * zero fraction is accepted too. Returns undefined for other text. A value beyond the safe range is returned as an
 * unsafe or infinite number, so that the caller can refuse it.
 */
export function parseIntegerText(text: string): number | undefined {
  const body = text.trim();
  let at = skipSign(body);
  const end = digitsEnd(body, at);
  if (end === at) return undefined;
  at = end;
  if (at < body.length) {
    if (body[at] !== '.' || at + 1 === body.length) return undefined;
    for (at++; at < body.length; at++) if (body[at] !== '0') return undefined;
  }
  return Number(body.slice(0, end).replaceAll('_', '')) + 0;
}

/** Reads a decimal number. Returns undefined for other text, and Infinity or NaN for `inf` and `nan`. */
export function parseNumberText(text: string): number | undefined {
  const body = text.trim();
  if (body.length <= 9 && SPECIAL.test(body)) return /n$/i.test(body) ? Number.NaN : Number.POSITIVE_INFINITY;
  const start = skipSign(body);
  let at = digitsEnd(body, start);
  let digits = at - start;
  if (body[at] === '.') {
    const end = digitsEnd(body, at + 1);
    digits += end - at - 1;
    at = end;
  }
  if (digits === 0) return undefined;
  if (body[at] === 'e' || body[at] === 'E') {
    const exponent = at + 1 + skipSign(body.slice(at + 1, at + 2));
    const end = digitsEnd(body, exponent);
    if (end === exponent) return undefined;
    at = end;
  }
  return at === body.length ? Number(body.replaceAll('_', '')) : undefined;
}

function skipSign(text: string): number {
  return text[0] === '+' || text[0] === '-' ? 1 : 0;
}

// Returns the index after a run of digits, which may have single underscores between them. Returns `from` when there is
// no digit.
function digitsEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    if (isDigit(text.charCodeAt(at))) at++;
    else if (at > from && text[at] === '_' && isDigit(text.charCodeAt(at + 1))) at++;
    else break;
  }
  return at;
}
