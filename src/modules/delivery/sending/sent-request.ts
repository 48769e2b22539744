import { isSensitiveName, MASK, sanitizeLongText, sanitizeText } from '../../../platform/sanitize/index.js';

/** An HTTP request of a send as it is stored and shown. It contains no secrets. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly SentHeader[];
  readonly body: { readonly text: string; readonly is_truncated: boolean };
}

interface SentHeader {
  readonly name: string;
  /** A mask when the header is protected. */
  readonly value: string;
  readonly is_protected: boolean;
}

/** An HTTP request of a send, before it is sanitized. */
export interface RequestToRecord {
  readonly method: string;
  /** The address; for an address that is a credential, the mask that is shown for it. */
  readonly url: string;
  /** The headers that the service sets, signatures included. They contain no secrets and are shown as they are. */
  readonly ownHeaders: Readonly<Record<string, string>>;
  readonly publicHeaders?: Readonly<Record<string, string>>;
  /** Only the names of these headers are recorded. */
  readonly protectedHeaders?: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Returns what may be stored of a request. `secrets` are masked in every encoding. */
export function sentRequestOf(request: RequestToRecord, secrets: readonly string[]): SentRequest {
  const { method, url, ownHeaders, publicHeaders = {}, protectedHeaders = {}, body } = request;
  const own = Object.entries(ownHeaders).map(([name, value]) => ({ name, value, is_protected: false }));
  const shown = Object.entries(publicHeaders).map(([name, value]) =>
    isSensitiveName(name) ? hidden(name) : { name, value: sanitizeText(value, secrets), is_protected: false },
  );
  const { text, isTruncated } = sanitizeLongText(body.toString('utf8'), secrets);
  return {
    method,
    url: sanitizeLongText(url, secrets).text,
    headers: [...own, ...shown, ...Object.keys(protectedHeaders).map(hidden)],
    body: { text, is_truncated: isTruncated },
  };
}

function hidden(name: string): SentHeader {
  return { name, value: MASK, is_protected: true };
}
