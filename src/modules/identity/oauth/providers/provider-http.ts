import { ProviderUnreachable } from '../oauth-fault.js';
import { errorMessage } from '../../../../platform/errors/index.js';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;

export interface ProviderRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** An encoded form. Undefined for a GET. */
  readonly body: string | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/**
 * Sends one request and returns the complete response. Follows no redirect.
 * @throws Error with the reason when no complete response within the limits arrived
 */
export type ProviderTransport = (
  request: ProviderRequest,
) => Promise<{ readonly status: number; readonly text: string }>;

export interface JsonRequest {
  /** Names the endpoint in error messages, since its URL may contain more than a log should. */
  readonly what: string;
  /** Form fields that are sent by POST. Without them the request is a GET. */
  readonly form?: Readonly<Record<string, string>>;
  /** The `Authorization` header. */
  readonly authorization?: string | undefined;
  /** Sends the request. The default is `fetch`, which is only for addresses that the operator has configured. */
  readonly transport?: ProviderTransport;
  /** Timeout for headers and body together. The default is 5 seconds. */
  readonly timeoutMs?: number;
  /** Maximum size of the decoded body. The default is 256 KiB, and a larger body is refused. */
  readonly maxBytes?: number;
}

/** The response of a provider. `body` is null when the response is no JSON object. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> | null;
}

/**
 * Sends a request to a provider, with limits on time and size. Redirects are returned, not followed.
 * @throws ProviderUnreachable when no complete response arrived
 */
export async function requestJson(url: URL, request: JsonRequest): Promise<JsonAnswer> {
  const { what, form, authorization, transport = plainTransport } = request;
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = request;
  try {
    const { status, text } = await transport({
      url,
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        Accept: 'application/json',
        'User-Agent': 'operational-event-service',
        ...(form !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded;charset=UTF-8' }),
        ...(authorization !== undefined && { Authorization: authorization }),
      },
      body: form === undefined ? undefined : new URLSearchParams(form).toString(),
      timeoutMs,
      maxBytes,
    });
    return { status, body: parseObject(text) };
  } catch (error) {
    throw new ProviderUnreachable(`${what}: ${reasonOf(error)}`);
  }
}

const plainTransport: ProviderTransport = async ({ url, method, headers, body, timeoutMs, maxBytes }) => {
  const response = await fetch(url, {
    method,
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { status: response.status, text: await readText(response, maxBytes) };
};

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The error that leaves the loop also cancels the download.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Describes a failed request. `fetch` reports the reason only in the `cause` of its error. */
function reasonOf(thrown: unknown): string {
  const { name, cause } = thrown as { name?: unknown; cause?: { code?: unknown } };
  if (name === 'TimeoutError') return 'no answer in time';
  return typeof cause?.code === 'string' ? `${errorMessage(thrown)} (${cause.code})` : errorMessage(thrown);
}
