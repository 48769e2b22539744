import { domainToASCII } from 'node:url';

const MAX_DOMAIN_CHARACTERS = 253;
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * Returns a domain in lower-case A-labels, or null for a text that cannot be the domain of an e-mail address. The
 * domains of addresses are compared in this form. The text is normalized to NFC first, because `domainToASCII` maps
 * combining marks before it orders them.
 */
export function domainOf(text: string): string | null {
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return null;
  const domain = domainToASCII(text.normalize('NFC'));
  const labels = domain.split('.');
  const isRight =
    domain.length <= MAX_DOMAIN_CHARACTERS && labels.length > 1 && labels.every((each) => LABEL.test(each));
  return isRight && /[a-z]/.test(labels.at(-1) ?? '') ? domain : null;
}
