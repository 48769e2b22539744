/**
 * Why a sign-in by a provider came to nothing. The message is for the log and names no code, token or secret;
 * the caller is told no more than that it failed.
 */
export class OAuthFault extends Error {}

/** What a thrown thing says; libraries also throw things that are no `Error` of ours. */
export function messageOf(thrown: unknown): string {
  const { message } = (thrown ?? {}) as { message?: unknown };
  return typeof message === 'string' && message !== '' ? message : 'unknown';
}
