/**
 * The place of an operation in a trace, as the text of the W3C header `traceparent`, version 00: the id of the trace (32
 * hexadecimal digits), the id of the parent span (16) and the flags (2). Always 55 characters in lower case.
 */
export type Traceparent = string & { readonly isTraceparent: true };

const VERSION_0 = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** A later version may add members at the end. The first four have the same meaning. */
const LATER_VERSION = /^(?!ff)[0-9a-f]{2}(-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(?:-|$)/;

/** Returns the header as version 00, or undefined when it is missing or malformed. A malformed header is ignored. */
export function traceparentFrom(header: string | undefined): Traceparent | undefined {
  if (header === undefined || header.length > 512) return undefined;
  if (VERSION_0.test(header)) return header as Traceparent;
  const [, members] = header.startsWith('00') ? [] : (LATER_VERSION.exec(header) ?? []);
  return members === undefined ? undefined : (`00${members}` as Traceparent);
}

export function traceIdOf(traceparent: Traceparent): string {
  return traceparent.slice(3, 35);
}
