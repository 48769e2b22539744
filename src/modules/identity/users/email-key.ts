import { domainToASCII } from 'node:url';

/** Characters outside ASCII that NFC maps to ASCII: the Greek question mark, the varia and the Kelvin sign. */
const LIKE_ASCII = /([\u037e\u1fef\u212a])/;

/**
 * Returns the key by which addresses are compared. The part before the @ is in NFC with ASCII letters in lower case.
 * The domain is in lower-case A-labels (UTS 46), since all spellings of a domain lead to one mail server. White space
 * around the address is ignored.
 */
export function emailKeyOf(email: string): string {
  const trimmed = email.trim();
  const at = trimmed.lastIndexOf('@');
  if (at < 0) return localKey(trimmed);
  const domain = trimmed.slice(at + 1);
  return `${localKey(trimmed.slice(0, at))}@${aLabels(domain) || localKey(domain)}`;
}

/**
 * Returns the domain as A-labels, or an empty string when the text is no domain name. Without the check `domainToASCII`
 * would drop the text after a slash or colon. It maps a mark such as U+0345 before it puts marks in order, so the text
 * is normalized to NFC first.
 */
function aLabels(domain: string): string {
  return /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) ? domainToASCII(domain.normalize('NFC')) : '';
}

/**
 * Normalizes the part before the @. Characters that NFC would map to ASCII are left as they are, so that they never
 * compare equal to ASCII characters. Letters outside ASCII keep their case, since mail systems fold them differently or
 * not at all. The text is composed again after folding, since some marks combine only with a small letter, such as the
 * caron with `j`.
 */
function localKey(local: string): string {
  return local
    .split(LIKE_ASCII)
    .map((part) => (LIKE_ASCII.test(part) ? part : folded(part)))
    .join('');
}

function folded(part: string): string {
  return part
    .normalize('NFC')
    .replace(/[A-Z]+/g, (ascii) => ascii.toLowerCase())
    .normalize('NFC');
}
