import type { TryOutcome } from '../../../delivery/sending/index.js';
import type { StoredNotice } from './notice.js';

/** An address of which only the receiver is shown: the rest may be a credential. */
export function maskedAddress({ origin }: Pick<URL, 'origin'>): string {
  return `${origin}/***`;
}

/** What a request needs of a destination in plain; lives no longer than the request. */
export interface OpenedDestination {
  readonly url: string;
  /** What requests are signed with, newest first. */
  readonly secrets: readonly string[];
  /** Whatever of it must not come back in stored text. */
  readonly confidential: readonly string[];
}

/** One notice on its way to one destination. */
export interface DestinationMessage {
  readonly destination: OpenedDestination;
  readonly notice: StoredNotice;
  /** The same over all tries: receivers know a repeat by it. */
  readonly deliveryId: string;
}

/** One kind of alert destination: how its address is shown and kept, and how a notice gets there. */
export interface DestinationDriver {
  /** How an address that is a credential is shown, while the whole one is kept encrypted; null: it is no secret. */
  maskOf(url: URL): string | null;

  /**
   * Sends it once. Never rejects for what the other side does; the outcome is evidence, sanitized and without secrets.
   * @param deadlineMs for everything together
   */
  send(message: DestinationMessage, deadlineMs: number): Promise<TryOutcome>;
}
