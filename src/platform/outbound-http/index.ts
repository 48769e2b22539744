export { isConnectionHeader } from './connection-headers.js';
export { type DestinationRules, parseDestination, type ParsedDestination } from './destination.js';
export { DestinationSafety } from './destination-safety.js';
export { DnsLookup } from './dns-lookup.js';
export { type HostAddress, HostLookup, type LookupAnswer, type LookupFailure } from './host-lookup.js';
export { OutboundHttp, type OutboundHttpOptions, type OutboundRequest } from './outbound-http.js';
export {
  type OutboundAnswer,
  type OutboundFailure,
  type OutboundFailureReason,
  type OutboundOutcome,
} from './outcome.js';
export { type DeliveryToSign, signDelivery } from './signatures.js';
