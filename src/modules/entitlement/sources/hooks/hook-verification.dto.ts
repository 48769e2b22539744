import {
  brokenRule,
  EnumField,
  type Issue,
  TextField,
  ValidationError,
} from '../../../../platform/http/validation/index.js';
import { HOOK_SCHEMES, type HookScheme, SIGNATURE_ENCODINGS, type SignatureEncoding } from './source-hook.entity.js';

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PRINTABLE = /^[\x20-\x7e]*$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const SCHEME = 'Whose webhooks they are, which decides how their signature is verified. `none`: they are not signed';
const HEADER = 'Of `hmac-sha256` only: the header with the signature of the body';
const ENCODING = 'Of `hmac-sha256` only: how the signature is written';
const PREFIX = 'Of `hmac-sha256` only: the text in front of the signature';

export class HookVerificationRequest {
  @EnumField(HOOK_SCHEMES, { description: SCHEME })
  scheme!: HookScheme;

  @TextField({
    min: 1,
    max: 500,
    optional: true,
    nullable: true,
    secret: true,
    description: 'What the sender signs with; never answered. Required for every scheme but `none`',
  })
  secret?: string | null;

  @TextField({
    min: 1,
    max: 100,
    pattern: HEADER_NAME,
    optional: true,
    example: 'X-Signature',
    description: HEADER,
  })
  header?: string;

  @EnumField(SIGNATURE_ENCODINGS, { optional: true, description: `${ENCODING}. \`hex\` when left out` })
  encoding?: SignatureEncoding;

  @TextField({
    max: 50,
    pattern: PRINTABLE,
    optional: true,
    example: 'sha256=',
    description: `${PREFIX}. None when left out`,
  })
  prefix?: string;
}

export class HookVerificationResponse {
  @EnumField(HOOK_SCHEMES, { description: SCHEME })
  scheme!: HookScheme;

  @TextField({ optional: true, description: HEADER })
  header?: string;

  @EnumField(SIGNATURE_ENCODINGS, { optional: true, description: ENCODING })
  encoding?: SignatureEncoding;

  @TextField({ optional: true, description: PREFIX })
  prefix?: string;
}

/** Checks the other fields by the rules of the scheme. @throws ValidationError */
export function assertVerification(request: HookVerificationRequest): void {
  const issues = issuesOf(request);
  if (issues.length > 0) throw new ValidationError(issues);
}

function issuesOf({ scheme, secret = null, header, encoding, prefix }: HookVerificationRequest): Issue[] {
  const issues: Issue[] = [];
  const refuse = (member: string, sentence: string, input: unknown): void => {
    issues.push(...brokenRule(['body', 'verification', member], sentence, input).issues);
  };
  if (scheme === 'none' && secret !== null) refuse('secret', 'the scheme none has no secret', null);
  if (scheme !== 'none' && secret === null) refuse('secret', `the scheme ${scheme} needs a secret`, null);
  if (scheme === 'standard-webhooks' && secret !== null && keyOfStandardWebhooks(secret) === null) {
    refuse('secret', 'a secret of standard-webhooks is base64, usually after whsec_', null);
  }
  if (scheme === 'hmac-sha256') {
    if (header === undefined) refuse('header', 'the scheme hmac-sha256 needs the name of a header', null);
    return issues;
  }
  for (const [member, value] of Object.entries({ header, encoding, prefix })) {
    if (value !== undefined) refuse(member, `the scheme ${scheme} has no ${member}`, value);
  }
  return issues;
}

/** Returns the key that a secret of Standard Webhooks encodes, or null when the secret is not base64. */
export function keyOfStandardWebhooks(secret: string): Buffer | null {
  const encoded = secret.replace(/^whsec_/, '');
  return encoded !== '' && BASE64.test(encoded) ? Buffer.from(encoded, 'base64') : null;
}
