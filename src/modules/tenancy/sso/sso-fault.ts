/** The error codes that the sign-in page gets for a refused sign-in. The page has a sentence for each. */
export const SSO_CODES = [
  'sso_failed',
  'sso_domain',
  'sso_expired',
  'sso_unknown_provider',
  'sso_disabled_account',
  'sso_provider_unreachable',
] as const;
export type SsoCode = (typeof SSO_CODES)[number];

/**
 * A refused sign-in. The message goes to the log and to the security event, so it must not contain a code, token or
 * secret.
 */
export class SsoFault extends Error {
  constructor(
    readonly code: SsoCode,
    message: string,
  ) {
    super(message);
  }
}
