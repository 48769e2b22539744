import type { TryOutcome } from '../../../delivery/sending/index.js';
import type { RenderedRequest } from '../../../delivery/templates/index.js';
import type { StoredNotification } from './alert-notification.js';

/** Returns the address with only its origin visible, because the rest may be a credential. */
export function maskedAddress({ origin }: Pick<URL, 'origin'>): string {
  return `${origin}/***`;
}

/** The decrypted values of a destination that one request needs. They are kept only during this request. */
export interface OpenedDestination {
  readonly url: string;
  /** The address, or its mask when the address is a credential. */
  readonly shownUrl: string;
  /** The secrets that sign requests, newest first. */
  readonly secrets: readonly string[];
  /** Texts that must not appear in stored evidence. */
  readonly confidential: readonly string[];
}

/** One notification to one destination. */
export interface DestinationMessage {
  readonly destination: OpenedDestination;
  readonly notification: StoredNotification;
  /** The request of the template; null: the destination has none. */
  readonly rendered: RenderedRequest | null;
  /** The same in all sends of a delivery, so that receivers recognise a repeated one. */
  readonly deliveryId: string;
}

/** One type of alert destination: how its address is shown and stored, and how notifications are sent. */
export interface DestinationDriver {
  /**
   * Returns the mask to show for an address that is a credential and is stored encrypted. Returns null when the address
   * is no credential.
   */
  maskOf(url: URL): string | null;

  /**
   * Sends the notification once. Failures of the receiver are an outcome and never reject. The outcome is sanitized and
   * contains no secrets.
   * @param deadlineMs the time limit of the whole send
   */
  send(message: DestinationMessage, deadlineMs: number): Promise<TryOutcome>;
}
