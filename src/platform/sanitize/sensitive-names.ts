/**
 * How the value of a name is found: as one value, as a header value with several parts, or as a whole object.
 * `ambiguous` names are also ordinary words (`session: closed`), so a value after a colon is masked only when it looks
 * like a credential. The value of a `plural` name is a list, an object, a single value or a count (`tokens=512`).
 */
export type NameKind = 'value' | 'ambiguous' | 'plural' | 'authorization' | 'cookie' | 'container';

const SECRET_ENDINGS = [
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'pwd',
  'secret',
  'token',
  'jwt',
  'signature',
  'credential',
  'credentials',
  'apikey',
  'secretkey',
  'privatekey',
  'accesskey',
  'signingkey',
  'encryptionkey',
  'masterkey',
  'authkey',
  'accountkey',
  'subscriptionkey',
  'sharedkey',
  'sharedaccesskey',
  'sessionkey',
  'servicekey',
  'hmackey',
  'webhookkey',
  'functionskey',
  'licensekey',
  'storagekey',
  'sshkey',
  'appkey',
  'sessionid',
  'sessid',
  'connectionstring',
  'recoverycode',
  'verificationcode',
  'backupcode',
];
const AMBIGUOUS = new Set([
  'auth',
  'pass',
  'pw',
  'pin',
  'otp',
  'totp',
  'sig',
  'sid',
  'session',
  'bearer',
  'signature',
  'credential',
]);
/** Names that are too common in text, but that mean a secret when they are the name of a query parameter. */
const SECRET_IN_QUERY = new Set(['key', 'code', 'ticket', 'assertion', 'samlresponse', 'hmac', 'sas']);
const SECRET_PARTS = new Set(['password', 'passwd', 'passphrase', 'pwd', 'secret']);
/** Common words that mean a credential when they end a longer name: `basic_auth`, `user-session`, `login_otp`. */
const SECRET_LAST = new Set(['auth', 'bearer', 'cred', 'creds', 'hmac', 'otp', 'pass', 'pw', 'session', 'sig', 'totp']);
/** Words that mean a credential anywhere in the name of a custom header (`X-…`). */
const SECRET_IN_HEADER = new Set([
  ...SECRET_PARTS,
  ...SECRET_LAST,
  'apikey',
  'authentication',
  'cookie',
  'credential',
  'credentials',
  'jwt',
  'key',
  'sid',
  'signature',
  'token',
]);
/** Words before `key` that make it the name of an identifier, and not of a credential. */
const LOOKUP_KEYS = new Set([
  'cache',
  'correlation',
  'dedup',
  'deduplication',
  'event',
  'foreign',
  'group',
  'idempotency',
  'message',
  'object',
  'ordering',
  'partition',
  'primary',
  'public',
  'routing',
  'shard',
  'sort',
  'surrogate',
]);
const TOKEN_SUFFIXES = new Set(['value', 'hash', 'plain', 'raw', 'base64', 'string', 'secret', 'confirmation']);
/** Last words of names that describe a secret but do not contain it, such as `password_policy`. */
const ABOUT = new Set([
  'at',
  'age',
  'attempts',
  'changed',
  'count',
  'created',
  'enabled',
  'error',
  'exists',
  'expired',
  'expires',
  'expiry',
  'field',
  'id',
  'in',
  'invalid',
  'length',
  'max',
  'min',
  'name',
  'path',
  'policy',
  'required',
  'reset',
  'rotated',
  'set',
  'status',
  'strength',
  'type',
  'updated',
  'uri',
  'url',
  'valid',
  'version',
  'manager',
  'store',
  'arn',
  'ref',
  'ts',
  'js',
  'mjs',
  'cjs',
  'tsx',
  'jsx',
  'json',
  'html',
  'py',
  'java',
  'go',
  'rb',
  'php',
]);
const PLURALS = new Set([
  'passwords',
  'secrets',
  'tokens',
  'apikeys',
  'cookies',
  'creds',
  'credentials',
  'recoverycodes',
  'backupcodes',
]);
const CONTAINERS = new Set([
  'configuration',
  'config',
  'destination',
  'destinationconfiguration',
  'destinationconfig',
  'channelconfiguration',
  'channelconfig',
  'webhookconfiguration',
  'webhookconfig',
  'protectedheaders',
]);

/**
 * Returns what a field, header or variable with this name contains, or null when it contains no secret. With `inQuery`,
 * the name is the name of a query parameter.
 */
export function kindOfName(name: string, inQuery = false): NameKind | null {
  const parts = name
    .slice(-80)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const compact = parts.join('').replace(/\d+$/, '');
  const last = parts.at(-1) ?? '';
  if (compact.endsWith('authorization')) return 'authorization';
  if (compact.endsWith('cookie')) return 'cookie';
  if (CONTAINERS.has(compact)) return 'container';
  if (inQuery && (SECRET_IN_QUERY.has(compact) || AMBIGUOUS.has(compact) || PLURALS.has(compact))) return 'value';
  if (PLURALS.has(compact)) return 'plural';
  if (AMBIGUOUS.has(compact)) return 'ambiguous';
  if (SECRET_ENDINGS.some((ending) => compact.endsWith(ending))) return 'value';
  if (last === 'cred' || last === 'creds' || (parts.length > 1 && SECRET_LAST.has(last))) return 'value';
  if (parts[0] === 'x' && isSecretHeader(parts.slice(1), last)) return 'value';
  if (parts.some((part) => SECRET_PARTS.has(part)) && !ABOUT.has(last)) return 'value';
  return parts.at(-2) === 'token' && TOKEN_SUFFIXES.has(last) ? 'value' : null;
}

function isSecretHeader(parts: readonly string[], last: string): boolean {
  if (ABOUT.has(last)) return false;
  return parts.some(
    (part, at) => SECRET_IN_HEADER.has(part) && (part !== 'key' || !LOOKUP_KEYS.has(parts[at - 1] ?? '')),
  );
}

/** Returns whether the value of a field with this name must never be written to a log or an answer. */
export function isSensitiveName(name: string): boolean {
  const kind = kindOfName(name);
  return kind !== null && kind !== 'container';
}
