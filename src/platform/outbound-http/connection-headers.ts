/** Of the connection or of the form of the message, not of what it says: the client sets or leaves them out itself. */
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

/** Whether {@link OutboundHttp} passes over a header of the caller's. Whoever takes headers from users refuses these. */
export function isConnectionHeader(name: string): boolean {
  const key = name.toLowerCase();
  return CONNECTION_HEADERS.has(key) || key.startsWith('proxy-');
}
