/** Headers of the connection or of the message's encoding. {@link OutboundHttp} sets or omits them itself. */
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

/** Whether {@link OutboundHttp} ignores a header of the caller. Code that accepts headers from users refuses these. */
export function isConnectionHeader(name: string): boolean {
  const key = name.toLowerCase();
  return CONNECTION_HEADERS.has(key) || key.startsWith('proxy-');
}
