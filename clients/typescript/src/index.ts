export { type Client, createClient } from './client/client.js';
export { isCondition, isFilter } from './client/conditions.js';
export type {
  Answer,
  Arguments,
  Call,
  CallOptions,
  EventStreamAnswer,
  OperationName,
  RawBody,
  Schemas,
} from './client/contract.js';
export type { ClientOptions } from './client/exchange.js';
export { each, pages } from './client/pages.js';
export { isRefusal, Refusal, type RefusalOf, UnexpectedAnswer } from './client/refusal.js';
export { Session, type Tokens } from './client/session.js';
export { StoredSession, type StoredSessionOptions } from './client/stored-session.js';
export { stream, type StreamOptions } from './client/stream.js';
