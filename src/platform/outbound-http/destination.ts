import { kindOfName } from '../sanitize/index.js';

/** Words of credentials that a hook may use for things of its own. */
const ORDINARY = new Set(['ticket', 'assertion']);
/** Names are decoded so often: some receivers do it once more than the address asks for. */
const MOST_DECODINGS = 3;
const LABEL = /^[a-z0-9_-]{1,63}$/;
const LONGEST_NAME = 253;

export interface DestinationRules {
  /** Refuse addresses with a query parameter that is named like a credential (delivery channels). */
  readonly refuseCredentialQuery: boolean;
}

export type ParsedDestination = { ok: true; url: URL } | { ok: false; problem: string };

/**
 * Reads a user-given address once; keep and send `url.href`, which everybody reads alike. Judges the form alone:
 * where it leads is {@link DestinationSafety}'s question. `problem` is a sentence for the caller.
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

/** Also of parameters parted by `;`, as some receivers read them. */
function namesInQuery(url: URL): string[] {
  return url.search
    .slice(1)
    .split(/[&;]/)
    .map((pair) => decoded(pair.split('=', 1)[0] ?? ''));
}

function decoded(name: string): string {
  let plain = name.replaceAll('+', ' ');
  for (let times = 0; times < MOST_DECODINGS && plain.includes('%'); times += 1) {
    // An escape that is none, or of no UTF-8, stays: the other ones still have to be seen through.
    plain = plain.replace(/(?:%[\da-f]{2})+/gi, (escapes) =>
      Buffer.from(escapes.replaceAll('%', ''), 'hex').toString(),
    );
  }
  return plain;
}

/**
 * Whether a query parameter is called like a credential, by the names that the masking of texts knows, in any case and
 * with any separators: `X-Amz-Signature`, `apiKey`, `x_api_key`, `sessiontoken`, `token[]` are, `monkey` and `author` not.
 */
export function isCredentialName(name: string): boolean {
  const kind = kindOfName(name.normalize('NFKC').trim(), true);
  return kind !== null && kind !== 'container' && !ORDINARY.has(name.trim().toLowerCase());
}

/** Host name or address, without the brackets of IPv6 and the dot that ends an absolute name. */
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

/** Whether a name (lower case, as URL serializes it) means something of the network it is asked in. */
export function isOwnNetworkName(name: string): boolean {
  return !name.includes('.') || OWN_NETWORK.some((suffix) => `.${name}`.endsWith(suffix));
}
