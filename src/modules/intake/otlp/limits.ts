import { domainError } from '../../../platform/http/domain-error.js';

/** Log records, or spans and their exceptions, in one request. A request with more of them is refused with 413. */
export const MAX_RECORDS = 10_000;
/**
 * Attributes of a record, of a resource, of a scope and of each value that is a map. Later ones are left out. With the
 * properties that the mapping adds, an event has at most 512.
 */
export const MAX_ATTRIBUTES = 496;
/** Levels of lists and maps in a value. A value below is replaced by `TOO_DEEP`. */
export const MAX_DEPTH = 64;
/** Stands in place of a value below `MAX_DEPTH`. */
export const TOO_DEEP = '…';

export const TRACE_ID_BYTES = 16;
export const SPAN_ID_BYTES = 8;
/** The code of a span's status that means an error. */
export const STATUS_ERROR = 2;
/** The name of span events that are stored. */
export const EXCEPTION = 'exception';

export class TooManyRecords extends domainError(413, 'Request body has more than 10,000 records') {}

export class UndecodableBody extends domainError(400, 'Request body cannot be decoded') {}
