import { MASK } from './mask.js';
import { kindOfName } from './sensitive-names.js';

const USERINFO = /([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]{1,512}@/gi;
const URL_PATH = /(?:https?:\/\/([^\s/?#"'<>]{1,255}))?((?:\/(?:\[redacted\]|[^\s/?#"'<>,;)[\]}]){1,512}){2,40})/gi;
const HOOK_SEGMENT = /^(?:incoming-?)?(?:hooks?|webhooks?|webhookb2|incomingwebhook)$/i;
const SECRET_SEGMENT = /^(?:key|keys|auth|tokens?|secrets?|apikeys?|api[_-]keys?)$/i;
const TELEGRAM_BOT = /^bot\d{6,12}:/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** Services whose webhook URLs contain a secret in the path, from the matching segment on. */
const HOOK_HOSTS: readonly { readonly host: RegExp; readonly path: RegExp }[] = [
  { host: /(?:^|\.)hooks\.slack(?:-gov)?\.com$/i, path: /^(?:services|workflows|triggers)$/ },
  { host: /(?:^|\.)discord(?:app)?\.com$/i, path: /^webhooks$/ },
  { host: /(?:^|\.)(?:webhook\.office|office)\.com$/i, path: /^webhook(?:b2)?$/ },
  { host: /(?:^|\.)hooks\.zapier\.com$/i, path: /^catch$/ },
  { host: /(?:^|\.)events\.pagerduty\.com$/i, path: /^integration$/ },
];

/** Masks the userinfo and the secret path segments of URLs. Query parameters are masked by `maskAssignments`. */
export function maskUrls(text: string): string {
  return text.replace(USERINFO, `$1${MASK}@`).replace(URL_PATH, (whole, host: string | undefined, path: string) => {
    const masked = maskPath(host ?? '', path);
    return masked === path ? whole : whole.slice(0, whole.length - path.length) + masked;
  });
}

function maskPath(authority: string, path: string): string {
  const host = authority.replace(/^.*@|:\d*$/g, '');
  const segments = path.slice(1).split('/');
  const known = HOOK_HOSTS.find((entry) => entry.host.test(host));
  const from =
    known === undefined ? slackServiceAt(segments) : segments.findIndex((segment) => known.path.test(segment));
  if (from !== -1 && from + 1 < segments.length) return `/${[...segments.slice(0, from + 1), MASK].join('/')}`;
  let afterHook = false;
  const masked = segments.map((segment, index) => {
    const previous = segments[index - 1] ?? '';
    if (TELEGRAM_BOT.test(segment)) return MASK;
    const isSecret =
      (isSecretSegment(previous) && looksRandom(segment, 8)) ||
      (afterHook && (looksRandom(segment, 16) || UUID.test(segment))) ||
      looksDense(segment);
    afterHook ||= HOOK_SEGMENT.test(segment);
    return isSecret ? MASK : segment;
  });
  return `/${masked.join('/')}`;
}

function isSecretSegment(segment: string): boolean {
  return SECRET_SEGMENT.test(segment) || (segment.length <= 40 && kindOfName(segment) === 'value');
}

/** Finds the path of a Slack webhook without its host, as in a request line. */
function slackServiceAt(segments: readonly string[]): number {
  return segments.findIndex(
    (segment, i) =>
      segment === 'services' &&
      /^T[A-Z0-9]{6,}$/.test(segments[i + 1] ?? '') &&
      /^B[A-Z0-9]{6,}$/.test(segments[i + 2] ?? ''),
  );
}

/**
 * Returns whether a word has both letters and digits, as generated credentials do. A UUID is an identifier and not a
 * secret.
 */
export function looksRandom(word: string, minLength: number): boolean {
  return word.length >= minLength && /\d/.test(word) && /[A-Za-z]/.test(word) && !UUID.test(word);
}

/**
 * Returns whether a path segment is long and has upper-case letters, lower-case letters and digits, but no separators.
 * Such a segment is treated as a credential in any URL.
 */
function looksDense(segment: string): boolean {
  return /^[A-Za-z0-9]{24,}$/.test(segment) && /\d/.test(segment) && /[A-Z]/.test(segment) && /[a-z]/.test(segment);
}
