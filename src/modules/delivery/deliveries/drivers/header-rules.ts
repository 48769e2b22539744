import type { Issue } from '../../../../platform/http/validation/index.js';
import { isConnectionHeader, isHeaderValue } from '../../../../platform/outbound-http/index.js';
import { isSensitiveName } from '../../../../platform/sanitize/index.js';
import { ruleIssue } from './channel-configuration.js';

/** The maximum number of headers of a channel, public and protected ones together. */
export const MOST_HEADERS = 20;
export const HEADER_NAME_LENGTH = 80;
export const PUBLIC_VALUE_LENGTH = 300;
export const PROTECTED_VALUE_LENGTH = 2_048;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers that the service sets in every delivery. */
const OWN = new Set(['content-type', 'user-agent']);
const OWN_PREFIX = /^(?:x-service-|webhook-)/;
const CREDENTIALS = new Set(['authorization', 'cookie', 'set-cookie', 'x-api-key']);

/** Returns the form in which header names are compared. */
export const headerKey = (name: string): string => name.toLowerCase();

/** Returns why the name is not valid for a header; undefined when it is valid. */
export function headerNameFault(name: string): string | undefined {
  if (!TOKEN.test(name)) return "header name must consist of letters, digits and !#$%&'*+-.^_`|~";
  const key = headerKey(name);
  if (isConnectionHeader(name) || OWN.has(key) || OWN_PREFIX.test(key))
    return 'header name is controlled by the transport';
  return undefined;
}

/** Returns why the name is not valid for a public header; undefined when it is valid. */
function publicHeaderNameFault(name: string): string | undefined {
  const fault = headerNameFault(name);
  if (fault !== undefined) return fault;
  const isCredential = CREDENTIALS.has(headerKey(name)) || isSensitiveName(name);
  return isCredential ? 'header name is that of a credential: make it a protected header' : undefined;
}

/** Returns why the value is not valid for a header; undefined when it is valid. */
export function headerValueFault(value: string): string | undefined {
  return isHeaderValue(value) ? undefined : 'header value must consist of visible ASCII characters';
}

/** Returns issues for invalid public headers, without their values. `at` is the location of the headers. */
export function publicHeaderFaults(headers: Readonly<Record<string, unknown>>, at: Issue['loc']): Issue[] {
  const faults: Issue[] = [];
  const seen = new Set<string>();
  const names = Object.keys(headers);
  if (names.length > MOST_HEADERS)
    return [ruleIssue(at, `a channel has at most ${MOST_HEADERS} headers`, names.length)];
  for (const [name, value] of Object.entries(headers)) {
    const loc = [...at, name.slice(0, HEADER_NAME_LENGTH)];
    const add = (sentence: string): unknown => faults.push(ruleIssue(loc, sentence, '[redacted]'));
    if (name === '' || name.length > HEADER_NAME_LENGTH) {
      add(`header name should have 1 to ${HEADER_NAME_LENGTH} characters`);
    } else {
      const fault = publicHeaderNameFault(name);
      if (fault !== undefined) add(fault);
    }
    if (seen.has(headerKey(name))) add('header name appears twice');
    seen.add(headerKey(name));
    if (typeof value !== 'string') {
      faults.push({ type: 'string_type', loc, msg: 'Input should be a valid string', input: '[redacted]' });
    } else if ([...value].length > PUBLIC_VALUE_LENGTH) {
      const msg = `String should have at most ${PUBLIC_VALUE_LENGTH} characters`;
      faults.push({ type: 'string_too_long', loc, msg, input: '[redacted]', ctx: { max_length: PUBLIC_VALUE_LENGTH } });
    } else {
      const fault = headerValueFault(value);
      if (fault !== undefined) add(fault);
    }
  }
  return faults;
}
