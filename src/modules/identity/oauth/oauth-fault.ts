/**
 * The reason why a sign-in with a provider failed. The message goes to the log and contains no code, token or secret.
 * The caller learns only that the sign-in failed.
 */
export class OAuthFault extends Error {}

/** Returns the message of a thrown value. Libraries also throw values that are no `Error`. */
export function messageOf(thrown: unknown): string {
  const { message } = (thrown ?? {}) as { message?: unknown };
  return typeof message === 'string' && message !== '' ? message : 'unknown';
}
