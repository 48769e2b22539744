/** One message to one person, always sent as a single `text/plain` part in UTF-8. */
export interface Mail {
  /** One bare address, without a display name. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Additional headers. Headers for the structure and the addresses of the message are refused. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface MailResult {
  /** `not_configured`: no server is configured, so the message was written to the outbox folder. */
  readonly status: 'sent' | 'failed' | 'not_configured';
  /** Only for failures: whether the same message may be sent again later. */
  readonly transient?: boolean;
  /** Only for failures: the sanitized cause, at most 500 characters. */
  readonly error?: string;
  /** The Message-ID header, with its angle brackets. */
  readonly messageId: string;
}

export abstract class Mailer {
  /** Sends a message. Does not reject when the message cannot be delivered: the result then reports the failure. */
  abstract send(mail: Mail): Promise<MailResult>;

  /** Closes the connections. Sending afterwards fails. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

const BARE_ADDRESS = /^[^\s\p{Cc}<>,;:@"()[\]\\]+@[^\s\p{Cc}<>,;@"()\\]+$/u;
const HEADER_NAME = /^[A-Za-z0-9-]{1,76}$/;
const OWN_HEADERS = /^(?:from|to|cc|bcc|sender|reply-to|return-path|subject|date|message-id|mime-version|content-.*)$/i;
const LINE_BREAK_OR_CONTROL = /\p{Cc}/u;

/**
 * Returns the reason why an e-mail must not be sent, or null. A line break in a header, for example, could add another
 * header.
 */
export function faultIn(mail: Mail): string | null {
  if (mail.to.length > 320 || !BARE_ADDRESS.test(mail.to)) return 'Recipient is not one bare address';
  if (LINE_BREAK_OR_CONTROL.test(mail.subject)) return 'Subject contains control characters';
  for (const [name, value] of Object.entries(mail.headers ?? {})) {
    if (!HEADER_NAME.test(name) || OWN_HEADERS.test(name)) return 'Header name is not allowed';
    if (LINE_BREAK_OR_CONTROL.test(value)) return 'Header contains control characters';
  }
  return null;
}

/** Returns the domain of `Name <user@domain>` or `user@domain`, for Message-IDs. */
export function domainOf(from: string): string {
  return /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
}
