/**
 * The position of an operation in a trace, as the text of the W3C header `traceparent`, version 00: the trace id (32
 * hexadecimal digits), the id of the parent span (16 digits) and the flags (2 digits). It always has 55 lower-case
 * characters.
 */
export type Traceparent = string & { readonly isTraceparent: true };

const VERSION_0 = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** A later version may have more members at the end. Its first four members have the same meaning. */
const LATER_VERSION = /^(?!ff)[0-9a-f]{2}(-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(?:-|$)/;

/** Returns the header in version 00, or undefined when it is missing or malformed. */
export function traceparentFrom(header: string | undefined): Traceparent | undefined {
  if (header === undefined || header.length > 512) return undefined;
  if (VERSION_0.test(header)) return header as Traceparent;
  const [, members] = header.startsWith('00') ? [] : (LATER_VERSION.exec(header) ?? []);
  return members === undefined ? undefined : (`00${members}` as Traceparent);
}

export function traceIdOf(traceparent: Traceparent): string {
  return traceparent.slice(3, 35);
}
