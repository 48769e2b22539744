/**
 * Explains why a sign-in with a provider failed. The message goes to the log and contains no code, token or secret. The
 * caller learns only that the sign-in failed.
 */
export class OAuthFault extends Error {}
