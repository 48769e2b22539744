export { isConnectionHeader } from './connection-headers.js';
export { parseDestination } from './destination.js';
export { DestinationSafety } from './destination-safety.js';
export { DnsLookup } from './dns-lookup.js';
export { isHeaderValue } from './header-values.js';
export { type HostAddress, HostLookup, type LookupAnswer } from './host-lookup.js';
export { OutboundHttp, type OutboundRequest } from './outbound-http.js';
export { type OutboundFailureReason, type OutboundOutcome } from './outcome.js';
export { signDelivery, standardHeaders } from './signatures.js';
