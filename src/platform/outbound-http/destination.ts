import { kindOfName } from '../sanitize/index.js';

/** Names of credentials that webhooks also use for other values. */
const ORDINARY = new Set(['ticket', 'assertion']);
/** Names are decoded up to this many times, because some receivers decode more often than the URL requires. */
const MOST_DECODINGS = 3;
const LABEL = /^[a-z0-9_-]{1,63}$/;
const LONGEST_NAME = 253;

export interface DestinationRules {
  /** Whether to refuse addresses with a query parameter that is named like a credential (delivery channels). */
  readonly refuseCredentialQuery: boolean;
}

export type ParsedDestination = { ok: true; url: URL } | { ok: false; problem: string };

/**
 * Parses a user-given URL. Store and send `url.href`, which every parser reads in the same way. Only the form is
 * checked here. {@link DestinationSafety} checks the addresses of the host. `problem` is a sentence for the caller.
 */
export function parseDestination(text: string, rules: DestinationRules): ParsedDestination {
  const url = URL.parse(text);
  const problem = url === null ? 'URL is not valid' : problemOf(url, rules);
  return url === null || problem !== null ? { ok: false, problem: problem ?? 'URL is not valid' } : { ok: true, url };
}

function problemOf(url: URL, rules: DestinationRules): string | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return "URL scheme should be 'http' or 'https'";
  if (url.username !== '' || url.password !== '') return 'URL must not contain a user name or password';
  if (url.port === '0') return 'URL port must not be 0';
  if (!isHost(url)) return 'URL host name is not valid';
  if (rules.refuseCredentialQuery && namesInQuery(url).some(isCredentialName))
    return 'URL query must not contain credentials';
  return null;
}

/** Returns the names of the query parameters. Parameters are also split at `;`, because some receivers do so. */
function namesInQuery(url: URL): string[] {
  return url.search
    .slice(1)
    .split(/[&;]/)
    .map((pair) => decoded(pair.split('=', 1)[0] ?? ''));
}

function decoded(name: string): string {
  let plain = name.replaceAll('+', ' ');
  for (let times = 0; times < MOST_DECODINGS && plain.includes('%'); times += 1) {
    // Invalid escapes stay unchanged, and bytes that are not UTF-8 become U+FFFD.
    plain = plain.replace(/(?:%[\da-f]{2})+/gi, (escapes) =>
      Buffer.from(escapes.replaceAll('%', ''), 'hex').toString(),
    );
  }
  return plain;
}

/**
 * Returns whether a query parameter is named like a credential. Uses the names of text masking, in any case and with
 * any separators. For example, `X-Amz-Signature`, `apiKey`, `x_api_key`, `sessiontoken` and `token[]` are such names,
 * and `monkey` and `author` are not.
 */
export function isCredentialName(name: string): boolean {
  const kind = kindOfName(name.normalize('NFKC').trim(), true);
  return kind !== null && kind !== 'container' && !ORDINARY.has(name.trim().toLowerCase());
}

/** Returns the host name or address of a URL. Removes the brackets of IPv6 and the final dot of an absolute name. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function isHost(url: URL): boolean {
  if (url.hostname.startsWith('[')) return true;
  const name = bareHost(url);
  return name.length <= LONGEST_NAME && name.split('.').every((label) => LABEL.test(label));
}

const OWN_NETWORK = [
  'localhost',
  'internal',
  'local',
  'localdomain',
  'home.arpa',
  'lan',
  'corp',
  'svc',
  'cluster.local',
].map((suffix) => `.${suffix}`);

/**
 * Returns whether a name has a meaning only in the local network. The name must be in lower case, as in a parsed URL.
 */
export function isOwnNetworkName(name: string): boolean {
  return !name.includes('.') || OWN_NETWORK.some((suffix) => `.${name}`.endsWith(suffix));
}
