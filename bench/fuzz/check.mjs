// Checks that every answer has to pass.
import { operationOf, schemaFault } from './document.mjs';

/**
 * Any route may answer these statuses. They are those of HTTP and of the whole service, so routes do not document them.
 */
const GENERAL = new Set([400, 404, 405, 408, 413, 415, 417, 429, 431]);

/** @returns a sentence for each fault of an answer */
export function faultsOf(request, answer) {
  if (answer.fault !== undefined) return [answer.fault];
  if (answer.unsendable !== undefined) return [];
  const { status, headers, text } = answer;
  const faults = [];
  if (!/^[\x21-\x7e]{1,128}$/.test(headers['x-request-id'] ?? '')) faults.push('no X-Request-ID');
  const isHead = request.method === 'HEAD';
  const one = operationOf(isHead ? 'GET' : request.method, request.target);
  const isDocumented = one?.operation.responses[status] !== undefined;
  if (status >= 500 && !isDocumented) faults.push(`${status}, which is not documented`);
  else if (one !== undefined && !isDocumented && !GENERAL.has(status) && !(request.method === 'OPTIONS')) {
    faults.push(`${status}, which is not documented`);
  }
  if (isHead || answer.isStream || status === 204 || status === 304) {
    if (text !== '' && !answer.isStream) faults.push(`a body with ${isHead ? 'HEAD' : status}`);
    return faults;
  }
  const isJson = /^application\/json/.test(headers['content-type'] ?? '');
  if (status >= 400) {
    let detail;
    try {
      ({ detail } = JSON.parse(text));
    } catch {
      faults.push('no JSON');
    }
    // The answer of /health while the service is down has the state of the service instead of `detail`.
    if (detail === undefined && !(status === 503 && one?.path === '/health')) faults.push('no detail');
  }
  if (isJson && one !== undefined && isDocumented) {
    try {
      const fault = schemaFault(one, status, JSON.parse(text));
      if (fault !== null) faults.push(`not as documented: ${fault}`);
    } catch (error) {
      faults.push(`no JSON: ${error.message}`);
    }
  }
  return faults;
}

const SHOWN = 1_500;

/** Returns a text with which the request can be sent again. */
export function shown({ actor, kind, method, target, headers, body, bytes }) {
  if (bytes !== undefined)
    return `printf %s '${bytes.subarray(0, SHOWN).toString('base64')}' | base64 -d   (${bytes.length} bytes, ${kind})`;
  const text =
    body === undefined
      ? ''
      : Buffer.isBuffer(body)
        ? `base64 ${body.subarray(0, SHOWN).toString('base64')}`
        : body.slice(0, SHOWN);
  const size = body === undefined ? '' : ` (${Buffer.byteLength(body)} bytes)`;
  return `${method} ${target.slice(0, SHOWN)} as ${actor}, ${kind}\n      ${JSON.stringify(headers).slice(0, SHOWN)}\n      ${text}${size}`;
}
