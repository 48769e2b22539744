/** An event as `POST /v1/events/ingest` takes it; what is not named here is sent as it is. */
export interface SentEvent {
  /** What happened, such as `order.paid`. */
  readonly event_type: string;
  /** Where; needed unless the sender has a source of its own. */
  readonly source?: string;
  /** When; the time of `send` unless told. ISO 8601, or a Date. */
  readonly timestamp?: string | Date;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Why events will never be stored. */
export type LossReason =
  /** There was no room left: the service has been away, or slower than the program, for too long. */
  | 'full'
  /** It cannot be written as JSON. */
  | 'unserializable'
  /** The service has refused it, and would again. */
  | 'refused'
  /** The sender was closed before. */
  | 'closed';

/** Events that will never be stored. */
export interface Loss {
  readonly reason: LossReason;
  /** How many. */
  readonly events: number;
  /** What the service answered, where it was refused. A page does not learn the status of a redirect. */
  readonly status?: number;
  /** The `detail` of that answer, or of the first line that was refused. Of a redirect: where it leads, in Node. */
  readonly detail?: unknown;
}

export interface SenderOptions {
  /** Where the service answers, such as `https://events.example.com`. */
  readonly url: string;
  /** A key with the scope `events:write`; in pages a browser-safe one (`oesb_…`). */
  readonly apiKey: string;
  /** The source of events that name none. */
  readonly source?: string;
  /** Most events of a request, up to 1,000. Default 200. */
  readonly maxBatchEvents?: number;
  /** Most bytes of a request, up to 5 MiB. Default 512 KiB; in pages 60,000, which may outlive the page. */
  readonly maxBatchBytes?: number;
  /** How long an event waits for others, in milliseconds. Default 1,000. */
  readonly maxWaitMs?: number;
  /** Most bytes of events that wait to be stored; what comes when they are there is lost as `full`. Default 8 MiB. */
  readonly maxQueuedBytes?: number;
  /** How long an answer may take, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
  /** Told of events that are lost. It may throw: nobody hears of that. */
  readonly onLoss?: (loss: Loss) => void;
  /** Instead of the platform's. */
  readonly fetch?: typeof globalThis.fetch;
  /** Sends what waits when the program has nothing else to do, or the page is hidden. Default true. */
  readonly flushOnExit?: boolean;
}
