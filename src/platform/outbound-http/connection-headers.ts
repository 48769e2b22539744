/**
 * Headers that belong to the connection or to the encoding of the message. {@link OutboundHttp} sets or omits them
 * itself.
 */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

/**
 * Returns whether {@link OutboundHttp} ignores this header of a request. Code that accepts headers from users refuses
 * such headers.
 */
export function isConnectionHeader(name: string): boolean {
  const key = name.toLowerCase();
  return CONNECTION_HEADERS.has(key) || key.startsWith('proxy-');
}
