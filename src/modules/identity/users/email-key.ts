import { domainToASCII } from 'node:url';

/** What NFC turns into ASCII although it is none: the Greek question mark, the varia and the Kelvin sign. */
const LIKE_ASCII = /([\u037e\u1fef\u212a])/;

/**
 * What addresses are compared by: the part before the @ in NFC with ASCII letters folded, and the domain as lower-case
 * A-labels (UTS 46), since all spellings of a domain lead to one mail server. White space around is ignored.
 */
export function emailKeyOf(email: string): string {
  const trimmed = email.trim();
  const at = trimmed.lastIndexOf('@');
  if (at < 0) return localKey(trimmed);
  const domain = trimmed.slice(at + 1);
  return `${localKey(trimmed.slice(0, at))}@${aLabels(domain) || localKey(domain)}`;
}

/**
 * Returns an empty text for what is no domain name. The function of Node would leave out what follows a slash or colon, and
 * it maps a mark such as U+0345 before it puts marks in order, so that NFC comes first.
 */
function aLabels(domain: string): string {
  return /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) ? domainToASCII(domain.normalize('NFC')) : '';
}

/**
 * Nothing but ASCII compares as ASCII, and other letters keep their case, since mail systems fold them differently or not
 * at all. Composed again after folding: some marks go with a small letter alone, such as the caron with `j`.
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
