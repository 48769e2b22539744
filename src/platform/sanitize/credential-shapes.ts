import { MASK } from './mask.js';
import { looksRandom } from './urls.js';

const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY|PRIVATE KEY BLOCK)-----(?:(?!-----END )[^])*(?:-----END [A-Z0-9 ]{0,60}-----)?/g;
const BEARER = /\b((?:bearer|ApiKey)(?:[\s:=]|%20){1,4}(?:token\s{1,2})?["']?)([A-Za-z0-9._~+/=-]{6,})/gi;
const BASIC = /\b(basic(?:\s|%20){1,4})([A-Za-z0-9+/_-]{8,}={0,2})/gi;
const SPOKEN =
  /\b((?:api[ _-]?key|access key|token|secret|password|passphrase|credential)\s{1,4}(?:(is|was)\s{1,4})?["'`]?)([^\s"'`,;()<>[\]]{6,256})/gi;
const FLAG = /(?<=^|\s)(-{1,2}[A-Za-z][\w-]{0,40}\s{1,4}["']?)([^\s"'-][^\s"']*)/g;
/** Headers as pairs in a list, and headers as objects in a list whose members are the name and the value. */
const HEADER_PAIR =
  /(\\{0,3}["']([A-Za-z][\w-]{1,63})\\{0,3}["']\s{0,4},\s{0,4}\\{0,3}["'])((?:(?!\\{0,3}["'])[^\r\n])+)(?=\\{0,3}["'](?!\s{0,4}:)|[\r\n]|$)/g;
const NAMED_HEADER =
  /(["'](?:name|header|key)\\{0,3}["']\s{0,4}:\s{0,4}\\{0,3}["']([A-Za-z][\w-]{1,63})\\{0,3}["']\s{0,4},\s{0,4}\\{0,3}["']value\\{0,3}["']\s{0,4}:\s{0,4}\\{0,3}["'])((?:(?!\\{0,3}["'])[^\r\n])+)/gi;
/** Authentication schemes whose parameters contain the credential. */
const PARAMETERS = /\b((?:digest|hawk|oauth|mac)[ \t]{1,4})(?=[A-Za-z_]{1,40}=["'])[^\r\n]*/gi;
const ELEMENT = /(<([A-Za-z][\w:.-]{0,63})(?:\s[^<>]{0,200})?>)([^<>]{1,4096})(?=<\/)/g;

/** Patterns of credentials with a prefix that is typical of their issuer. */
const SHAPES: readonly string[] = [
  'oesb?_[A-Za-z0-9_]{12,}',
  'eyJ[A-Za-z0-9_-]{6,}(?:\\.[A-Za-z0-9_-]*){1,4}',
  'eyJ[A-Za-z0-9_-]{40,}={0,2}',
  'gh[opsur]_[A-Za-z0-9]{16,}',
  'github_pat_\\w{20,}',
  'gl(?:pat|dt|rt|ptt|cbt|ft|soat|imt|agent|oas)-[\\w.-]{16,}',
  '(?:sk|rk|pk|whsk)_(?:live|test|prod)_\\w{8,}',
  'whsec_[A-Za-z0-9+/_-]{12,}={0,2}',
  'xox[a-z](?:\\.xox[a-z])?-[A-Za-z0-9-]{10,}',
  'xapp-[A-Za-z0-9-]{10,}',
  'ya29\\.[\\w.-]{16,}',
  '1//0[\\w-]{24,}',
  'AIza[\\w-]{30,}',
  'GOCSPX-[\\w-]{20,}',
  'sk-[A-Za-z0-9_-]{20,}',
  '(?:gsk|pplx|xai|pcsk|r8|hf|re|nfp|sbp|figd|lin_api|ntn|secret|npm|tfp|pnu|fo1|fm[12]|glsa|glc|dop_v1|doo_v1|dor_v1|dckr_pat|pscale_tkn|pscale_pw|sntry[su]|rubygems|shp(?:at|ss|ca|pa)|bkua|CCIPAT|PMAK|NRAK|HRKU|CFPAT|ATBB|shippo_live)[_-][A-Za-z0-9_.-]{18,}',
  '(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AGPA|ANPA)[A-Z0-9]{12,}',
  'SG\\.[\\w-]{16,}\\.[\\w-]{16,}',
  '(?:SK|AC)[0-9a-f]{32}',
  'hv[sbr]\\.[\\w-]{16,}',
  'sq0(?:atp|csp|idp)-[\\w-]{20,}',
  'EAAA[A-Za-z0-9_-]{40,}',
  'xkeysib-[A-Za-z0-9-]{20,}',
  'key-[0-9a-f]{32}',
  '[0-9a-f]{32}-us\\d{1,2}',
  'pypi-[\\w-]{20,}',
  'dapi[0-9a-f]{32}',
  'ATATT3[\\w=-]{20,}',
  'dp\\.(?:pt|st|ct|sa)\\.[\\w.-]{20,}',
  'dt0c01\\.[A-Z0-9.]{20,}',
  'pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}',
  'AGE-SECRET-KEY-1[0-9A-Z]{20,}',
  'access-(?:sandbox|development|production)-[0-9a-f-]{30,}',
  '\\d{8,10}:[A-Za-z0-9_-]{35}',
  '[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,}',
];
const ISSUED = new RegExp(`(?<![A-Za-z0-9])(?:${SHAPES.join('|')})`, 'g');

/** Masks credentials that follow a word or markup, and not `=` or `:`. */
export function maskIntroduced(text: string, isSensitiveName: (name: string) => boolean): string {
  return text
    .replace(PRIVATE_KEY, MASK)
    .replace(HEADER_PAIR, (whole, head: string, name: string) =>
      isHeaderPair(name, isSensitiveName) ? head + MASK : whole,
    )
    .replace(NAMED_HEADER, (whole, head: string, name: string) => (isSensitiveName(name) ? head + MASK : whole))
    .replace(PARAMETERS, `$1${MASK}`)
    .replace(ELEMENT, (whole, tag: string, name: string, body: string) =>
      isSensitiveName(name) && body.trim() !== '' ? tag + MASK : whole,
    )
    .replace(BEARER, (whole, head: string, token: string) => (isSpokenOf(token) ? whole : head + MASK))
    .replace(BASIC, (whole, head: string, token: string) =>
      looksIssued(token) || holdsCredentials(token) ? head + MASK : whole,
    )
    .replace(FLAG, (whole, flag: string, value: string) => {
      const name = flag.replace(/[\s"']+$/, '').replace(/^-+/, '');
      const isUser = (name === 'u' || name === 'user') && value.includes(':');
      return (isUser || isSensitiveName(name)) && !value.startsWith(MASK) ? flag + MASK : whole;
    })
    .replace(SPOKEN, (whole, head: string, verb: string | undefined, word: string) => {
      const isSecret = verb === undefined ? looksRandom(word, 16) : looksRandom(word, 6);
      return isSecret && !/[:=]$/.test(word) ? head + MASK : whole;
    });
}

/** Masks credentials that are recognized by their prefix or form, anywhere in the text. */
export function maskIssued(text: string): string {
  return text.replace(ISSUED, MASK);
}

/**
 * Words that follow "bearer" or "ApiKey" in ordinary sentences. Any other text after "bearer" or "ApiKey" is a
 * credential.
 */
const SPOKEN_OF = new Set(
  (
    'access against and are assertion assertions auth authenticated authentication authorization because before bonds ' +
    'cannot certificate challenge check credential credentials error errors expected expires expired expiry failed failure ' +
    'flow format found from grant header headers identity instead invalid issued issuer length malformed method methods ' +
    'mismatch missing mode must needed not other permission permissions prefix present provided realm received rejected ' +
    'required requires rotation scheme schemes scope scopes security service services should shares signature string ' +
    'support supported syntax the this token tokens type types unknown unsupported usage validation value values was were ' +
    'when which will with without would'
  ).split(' '),
);

function isSpokenOf(word: string): boolean {
  return SPOKEN_OF.has(word.replace(/[.:]+$/, '').toLowerCase());
}

/**
 * Returns whether two quoted words in a row are a header and its value. The first word must be a name that only headers
 * have.
 */
function isHeaderPair(name: string, isSensitiveName: (name: string) => boolean): boolean {
  return /^(?:authorization|cookie)$/i.test(name) || (name.includes('-') && isSensitiveName(name));
}

/** Returns whether the token is base64 of `user:password`, as in the Basic scheme. */
function holdsCredentials(token: string): boolean {
  const text = Buffer.from(token, 'base64').toString('latin1');
  return /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(text);
}

/** Returns whether a word after "Basic" looks like a token, and not like the next word of a sentence. */
function looksIssued(token: string): boolean {
  return (
    token.length >= 20 ||
    /\d/.test(token) ||
    /[a-z][A-Z]/.test(token) ||
    /\w[._~+/=]\w/.test(token) ||
    /[A-Z]{8}/.test(token)
  );
}
