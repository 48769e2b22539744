/**
 * Why a sign-in by a provider came to nothing. The message is for the log and names no code, token or secret;
 * the caller is told no more than that it failed.
 */
export class OAuthFault extends Error {}
