import { domainToASCII } from 'node:url';

const MAX_DOMAIN_CHARACTERS = 253;
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * Returns a domain in lower-case A-labels, or null for a text that no address has as its domain. Addresses are compared
 * in the same form, and the text is normalized to NFC for the same reason: `domainToASCII` maps marks before it puts
 * them in order.
 */
export function domainOf(text: string): string | null {
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return null;
  const domain = domainToASCII(text.normalize('NFC'));
  const labels = domain.split('.');
  const isRight =
    domain.length <= MAX_DOMAIN_CHARACTERS && labels.length > 1 && labels.every((each) => LABEL.test(each));
  return isRight && /[a-z]/.test(labels.at(-1) ?? '') ? domain : null;
}
