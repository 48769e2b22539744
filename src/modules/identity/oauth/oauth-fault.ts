/**
 * Explains why a sign-in with a provider failed. The message goes to the log and contains no code, token or secret. The
 * caller learns only that the sign-in failed.
 */
export class OAuthFault extends Error {}

/** The account exists, and an operator of the service has disabled it. */
export class AccountIsDisabled extends OAuthFault {
  constructor() {
    super('the account is disabled');
  }
}

/** The provider could not be reached, or its OpenID configuration or keys could not be used. */
export class ProviderUnreachable extends OAuthFault {}
