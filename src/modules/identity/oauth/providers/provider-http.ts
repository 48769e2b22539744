import { messageOf, OAuthFault } from '../oauth-fault.js';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;

export interface JsonRequest {
  /** Names the endpoint in faults, since its URL may carry more than a log should. */
  readonly what: string;
  /** Sent as a form by POST; left out: GET. */
  readonly form?: Readonly<Record<string, string>>;
  /** For headers and body together; 5 seconds unless said otherwise. */
  readonly timeoutMs?: number;
  /** Of the decoded body; 256 KiB unless said otherwise. */
  readonly maxBytes?: number;
}

/** Null: the body is no JSON object. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> | null;
}

/**
 * Asks a provider, with limits on time and size; redirects are answers like any other.
 * @throws OAuthFault when no whole answer came
 */
export async function requestJson(url: URL, request: JsonRequest): Promise<JsonAnswer> {
  const { what, form, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = request;
  try {
    const response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      headers: { Accept: 'application/json', 'User-Agent': 'operational-event-service' },
      body: form === undefined ? undefined : new URLSearchParams(form),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, body: parseObject(await readText(response, maxBytes)) };
  } catch (error) {
    throw new OAuthFault(`${what}: ${reasonOf(error)}`);
  }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop by the error also ends the download.
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

/** `fetch` hides what happened in a cause. */
function reasonOf(thrown: unknown): string {
  const { name, cause } = thrown as { name?: unknown; cause?: { code?: unknown } };
  if (name === 'TimeoutError') return 'no answer in time';
  return typeof cause?.code === 'string' ? `${messageOf(thrown)} (${cause.code})` : messageOf(thrown);
}
