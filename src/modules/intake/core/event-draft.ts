/**
 * An event with the names of our fields, before it is cut to the limits of an event. A mapper makes drafts from a
 * decoded body. A missing member takes its default: `event_type` is `event`, `source` is `intake`, and `timestamp` is
 * the time of arrival.
 */
export interface EventDraft {
  /** Cut to 200 characters, as are `source` and `event_id`. */
  readonly event_type?: string | undefined;
  readonly source?: string | undefined;
  readonly event_id?: string | undefined;
  /** Cut to 2,000 characters. The whole text is then in the property `message_full`, up to 64 KiB. */
  readonly message?: string | undefined;
  /** Cut to 50 characters. */
  readonly severity?: string | undefined;
  /** Cut to 100 characters, as is `environment`. */
  readonly status?: string | undefined;
  readonly environment?: string | undefined;
  /**
   * A time as `readTime` reads it: ISO 8601 or RFC 2822 text, a Date, or a number (or its digits) of seconds, ms, µs or
   * ns since 1970. The magnitude of a number decides its unit. A time that cannot be read, or that is more than 24
   * hours ahead, becomes the time of arrival, and the original is kept in the property `timestamp_original`.
   */
  readonly timestamp?: unknown;
  /** The payload. Null members are left out, and depth and number of members are cut to their limits. */
  readonly properties: Readonly<Record<string, unknown>>;
  /**
   * Within 24 hours, a project stores only one event with this key. The key begins with the name of the protocol, and
   * contains for example CloudEvents `source` and `id`, or the delivery id of a provider. It may have any length.
   */
  readonly uniqueKey?: string | undefined;
}

/** A draft, or the reason why this item of a request is no event. */
export type DraftOrRefusal = { readonly draft: EventDraft } | { readonly refusal: string };
