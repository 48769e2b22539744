import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';

const PREFIX = 'ce-';

/** Returns the context attributes of an event in binary mode. The headers `ce-<attribute>` carry them. */
export function attributesOf(headers: IncomingHttpHeaders): Record<string, string> {
  const attributes: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(PREFIX) && typeof value === 'string')
      attributes.push([name.slice(PREFIX.length), decoded(value)]);
  }
  return Object.fromEntries(attributes);
}

/**
 * Decodes a header value as the HTTP binding of CloudEvents defines: an optional pair of quotes, then percent-encoding.
 * The official JavaScript SDK does not percent-encode but sends UTF-8, which Node reads as Latin-1.
 */
function decoded(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  const sent = isUtf8(bytes) ? bytes.toString() : value;
  const quoted = /^"(.*)"$/s.exec(sent)?.[1];
  const text = quoted === undefined ? sent : quoted.replaceAll(/\\(.)/gs, '$1');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
