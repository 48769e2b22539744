import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { parse } from 'tldts';
import { PUBLIC_MAIL_DOMAINS } from './public-mail-domains.js';

/**
 * The label of the TXT record below a domain. A label with an underscore is not a host name, so it clashes with no
 * host.
 */
export const RECORD_LABEL = '_operational-event-service';

/**
 * The maximum length of a domain. A DNS name has at most 253 characters, and the looked-up name also contains the label
 * of the record and a dot.
 */
const MAX_DOMAIN_LENGTH = 253 - RECORD_LABEL.length - 1;

/** The maximum length of the entered text, which may be in any script. */
export const MAX_TYPED_LENGTH = 253;

const TYPED = /^[\p{L}\p{M}\p{N}.-]+$/u;
// The Kelvin sign is refused, because it looks like a K and becomes a K when it is normalized.
const LOOKS_LIKE_ASCII = /\u212a/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** A top-level domain starts with a letter. Otherwise the text is a malformed address, such as `10.1`. */
const TOP_LEVEL = /^[a-z]/;

export type ReadDomain = { readonly domain: string } | { readonly problem: string };

/**
 * Reads the domain that an organization claims. The result has the form in which domains of e-mail addresses are
 * compared: lower-case A-labels, without a final dot. `problem` is a sentence for the caller.
 */
export function readDomain(text: string): ReadDomain {
  const typed = text.trim().replace(/\.$/, '');
  if (isIP(typed) !== 0) return { problem: 'an IP address is no domain' };
  const isTyped = TYPED.test(typed) && !LOOKS_LIKE_ASCII.test(typed);
  const domain = isTyped ? domainToASCII(typed.normalize('NFC')) : '';
  const labels = domain.split('.');
  if (domain === '' || !labels.every((label) => LABEL.test(label))) return { problem: 'this is no domain name' };
  if (domain.length > MAX_DOMAIN_LENGTH)
    return { problem: `a domain name should have at most ${MAX_DOMAIN_LENGTH} characters` };
  if (isIP(domain) !== 0) return { problem: 'an IP address is no domain' };
  if (labels.length === 1) return { problem: 'a domain name has at least two labels, such as example.com' };
  if (!TOP_LEVEL.test(labels.at(-1) ?? '')) return { problem: 'this is no domain name' };
  if (parse(domain, { allowPrivateDomains: true, validateHostname: false }).domain === null)
    return { problem: 'under this domain anybody can register a name, so no organization owns it' };
  if (PUBLIC_MAIL_DOMAINS.has(domain))
    return { problem: 'anybody can have an address of this domain, so no organization owns it' };
  return { domain };
}
