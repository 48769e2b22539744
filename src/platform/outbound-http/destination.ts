const CREDENTIAL_NAMES = new Set([
  'token',
  'accesstoken',
  'apikey',
  'key',
  'secret',
  'password',
  'passwd',
  'auth',
  'authorization',
  'signature',
  'sig',
  'credential',
  'credentials',
  'clientsecret',
  'privatekey',
]);
const CREDENTIAL_ENDING = /[-_](token|secret|signature)$/;
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
  if (rules.refuseCredentialQuery && [...url.searchParams.keys()].some(isCredentialName))
    return 'URL query must not contain credentials';
  return null;
}

/** Whole names, in any case, `-` and `_` alike: `X-Amz-Signature` and `apiKey` are, `monkey` is not. */
export function isCredentialName(name: string): boolean {
  const lower = name.trim().toLowerCase();
  return CREDENTIAL_NAMES.has(lower.replace(/[-_]/g, '')) || CREDENTIAL_ENDING.test(lower);
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
