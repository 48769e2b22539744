import type { Attributes } from '../records.js';
import { textAttribute, wholeAttribute } from './members.js';

/** The members by which the log and the performance pages know a request. */
export interface HttpMembers {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly route?: string | undefined;
  readonly status_code?: number | undefined;
}

/** Reads the attributes of the semantic conventions for HTTP, under their present and their older names. */
export function httpMembers(attributes: Attributes): HttpMembers {
  return {
    method: textAttribute(attributes, ['http.request.method', 'http.method']),
    path: textAttribute(attributes, ['url.path']) ?? pathOf(textAttribute(attributes, ['http.target'])),
    route: textAttribute(attributes, ['http.route']),
    status_code: wholeAttribute(attributes, ['http.response.status_code', 'http.status_code']),
  };
}

/** Returns the target of a request without its query. */
function pathOf(target: string | undefined): string | undefined {
  return target?.replace(/[?#].*$/s, '');
}
