import type { EventProperties } from './event-properties.js';
import type { Attributes } from '../records.js';
import { textAttribute, wholeAttribute } from './members.js';

/**
 * Adds the properties from which the log and performance pages read a request. Reads the attributes of the semantic
 * conventions for HTTP, under their present and their older names.
 */
export function addHttp(attributes: Attributes, properties: EventProperties): void {
  properties
    .add('method', textAttribute(attributes, ['http.request.method', 'http.method']))
    .add('path', textAttribute(attributes, ['url.path']) ?? pathOf(textAttribute(attributes, ['http.target'])))
    .add('route', textAttribute(attributes, ['http.route']))
    .add('status_code', wholeAttribute(attributes, ['http.response.status_code', 'http.status_code']));
}

/** Returns the target of a request without its query. */
function pathOf(target: string | undefined): string | undefined {
  return target?.replace(/[?#].*$/s, '');
}
