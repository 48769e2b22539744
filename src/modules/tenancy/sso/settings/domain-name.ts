import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { parse } from 'tldts';
import { PUBLIC_MAIL_DOMAINS } from './public-mail-domains.js';

/** The label below a domain where its TXT record is. Labels with an underscore are no host names, so it clashes with none. */
export const RECORD_LABEL = '_operational-event-service';

/** The maximum length of a DNS name is 253. The label of the record and its dot are part of the name that is looked up. */
const MAX_DOMAIN_LENGTH = 253 - RECORD_LABEL.length - 1;

/** A person may type a name in any script. */
export const MAX_TYPED_LENGTH = 253;

const TYPED = /^[\p{L}\p{M}\p{N}.-]+$/u;
// The Kelvin sign looks like a K, and is one after normalization.
const LOOKS_LIKE_ASCII = /\u212a/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** A top-level domain begins with a letter. Without it the text is a malformed address, such as `10.1`. */
const TOP_LEVEL = /^[a-z]/;

export type ReadDomain = { readonly domain: string } | { readonly problem: string };

/**
 * Reads the domain that an organization claims, in the form in which domains of addresses are compared: lower-case
 * A-labels, without a final dot. `problem` is a sentence for the caller.
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
