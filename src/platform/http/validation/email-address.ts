import { domainToASCII } from 'node:url';
import { plural } from './fault.js';

export const MAX_EMAIL = 254;
const MAX_LOCAL = 64;
const MAX_LABEL = 63;
// The Kelvin sign is refused, because it looks like a K and becomes a K when it is normalized or resolved in a domain.
const LOCAL_STRANGERS = /\u212a|[^\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]/u;
const DOMAIN_STRANGERS = /\u212a|[^\p{L}\p{M}\p{N}.-]/u;
const ENDS_IN_LETTER = /[\p{L}\p{M}]$/u;

/** Returns why the text cannot be an e-mail address, or undefined when it can be. Checks the syntax only. */
export function emailFault(text: string): string | undefined {
  const at = text.indexOf('@');
  if (at < 0) return 'An email address must have an @-sign.';
  const excess = text.length - MAX_EMAIL;
  if (excess > 0) return `The email address is too long (${plural(excess, 'character')} too many).`;
  return localFault(text.slice(0, at)) ?? domainFault(text.slice(at + 1));
}

function localFault(local: string): string | undefined {
  if (local === '') return 'There must be something before the @-sign.';
  const stranger = LOCAL_STRANGERS.exec(local);
  if (stranger) return `The email address contains invalid characters before the @-sign: ${shown(stranger[0])}.`;
  const excess = local.length - MAX_LOCAL;
  if (excess > 0) return `The email address is too long before the @-sign (${plural(excess, 'character')} too many).`;
  if (local.startsWith('.')) return 'An email address cannot start with a period.';
  if (local.endsWith('.')) return 'An email address cannot have a period immediately before the @-sign.';
  if (local.includes('..')) return 'An email address cannot have two periods in a row.';
  return undefined;
}

function domainFault(domain: string): string | undefined {
  if (domain === '') return 'There must be something after the @-sign.';
  const stranger = DOMAIN_STRANGERS.exec(domain);
  if (stranger) return `The part after the @-sign contains invalid characters: ${shown(stranger[0])}.`;
  if (domain.startsWith('.')) return 'An email address cannot have a period immediately after the @-sign.';
  if (domain.endsWith('.')) return 'An email address cannot end with a period.';
  if (domain.includes('..')) return 'An email address cannot have two periods in a row.';
  const labels = domain.split('.');
  if (labels.length === 1) return 'The part after the @-sign is not valid. It should have a period.';
  for (const label of labels) {
    if (label.startsWith('-') || label.endsWith('-')) {
      return 'The part after the @-sign is not valid. A label cannot start or end with a hyphen.';
    }
    if (label.length > MAX_LABEL) return 'After the @-sign, periods cannot be separated by so many characters.';
  }
  if (!ENDS_IN_LETTER.test(domain)) {
    return 'The part after the @-sign is not valid. It is not within a valid top-level domain.';
  }
  const ascii = domainToASCII(domain);
  if (ascii === '') return 'The part after the @-sign is not a valid domain name.';
  if (ascii.split('.').some((label) => label.length > MAX_LABEL)) {
    return 'After the @-sign, periods cannot be separated by so many characters.';
  }
  return undefined;
}

function shown(character: string): string {
  return /\s/.test(character) ? 'whitespace' : `'${character}'`;
}
