import { domainError } from '../../../platform/http/domain-error.js';

/** The maximum number of log records, or of spans plus exceptions, in a request. Beyond it the answer is 413. */
export const MAX_RECORDS = 10_000;
/**
 * Maximum number of attributes of a record, of a resource, of a scope and of each value that is a map. Further
 * attributes are dropped. With the properties that the mapping adds, an event has at most 512.
 */
export const MAX_ATTRIBUTES = 496;
/** Maximum number of levels of lists and maps in a value. Deeper values are replaced by `TOO_DEEP`. */
export const MAX_DEPTH = 64;
/**
 * Maximum number of values in the lists and maps of a record. Further values are left out and count as dropped
 * attributes.
 */
export const MAX_NESTED_VALUES = 10_000;
/** Replaces a value deeper than `MAX_DEPTH`. */
export const TOO_DEEP = '…';

export const TRACE_ID_BYTES = 16;
export const SPAN_ID_BYTES = 8;
/** The code of a span's status that means an error. */
export const STATUS_ERROR = 2;
/** The name of span events that are stored. */
export const EXCEPTION = 'exception';

export class TooManyRecords extends domainError(413, 'Request body has more than 10,000 records') {}

export class UndecodableBody extends domainError(400, 'Request body cannot be decoded') {}
