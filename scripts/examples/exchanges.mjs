// Reads recorded exchanges and chooses an example for each operation: the exchange that shows most members in the
// fewest words.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { statusOfExample } from '../contract/operations.mjs';

/** The document uses these types for content of any media type. */
const ANYTHING = ['*/*', 'application/octet-stream'];
const JSON_TYPE = 'application/json';
/** In characters, for request and answer together. Each further character lowers the score. */
const COMFORTABLE = 1_800;
/** Texts of tests that send hostile input. */
const HOSTILE =
  /hunter2|<script|\\u0000|__proto__|(.)\1{24}|Mallory|hostile|\.\.\/|constructor|\[redacted\]|example\.com\/hidden|"the \w+"|unknown_field|evil|secret:USER|=on\b/;
/** This test is written to be read. An operation that has a whole exchange in it takes its example from there. */
const TOUR = 'day-of-a-shop';
/** In characters. A text this short is not a realistic name. */
const SHORT = 2;

/** Returns every recorded exchange, in an order that does not depend on the speed of the tests. */
export function readExchanges(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/**
 * Returns the best exchange of an operation, from the tour where it has one, as `{ url, request?, answer? }`, each with
 * its media type and value. Returns null when no exchange has every part that the document describes.
 */
export function bestExchange(exchanges, operation) {
  const status = statusOfExample(operation.responses);
  const success = operation.responses[status];
  const candidates = exchanges.flatMap((exchange) => {
    if (exchange.status !== Number(status)) return [];
    const { content, required } = operation.requestBody ?? {};
    const request = part(exchange.sentType, exchange.sent, content, required !== true);
    const answer = part(exchange.type, exchange.answered, success.content);
    if (request === null || answer === null) return [];
    return [{ spec: exchange.spec, url: exchange.url, request, answer, score: scoreOf(exchange, request, answer) }];
  });
  const toured = candidates.filter(({ spec }) => spec === TOUR);
  const [first, ...others] = toured.length > 0 ? toured : candidates;
  return others.reduce((best, each) => (each.score > best.score ? each : best), first ?? null);
}

/**
 * Returns undefined where the document has no body or the body is optional, and null where the body has another media
 * type.
 */
function part(type, text, content, isOptional = false) {
  if (content === undefined || (isOptional && text === '')) return undefined;
  const key = content[type] === undefined ? ANYTHING.find((name) => content[name] !== undefined) : type;
  if (key === undefined || text === '') return null;
  return { type: key, value: valueOf(key, text) };
}

/** The document describes forms as objects. */
function valueOf(type, text) {
  if (type === JSON_TYPE) return JSON.parse(text);
  if (type === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(text));
  return type === 'text/event-stream' ? lastMessage(text) : text;
}

/** Returns the last message of a stream that is not a heartbeat. The schema of the stream describes such a message. */
function lastMessage(text) {
  const messages = text
    .split('\n\n')
    .flatMap((message) => (message.startsWith('data: ') ? [JSON.parse(message.slice(6))] : []));
  return messages.findLast(({ type }) => type !== 'heartbeat') ?? messages[0];
}

function scoreOf(exchange, request, answer) {
  const text = `${exchange.url} ${exchange.sent} ${exchange.answered}`;
  const said = new Set(new URLSearchParams(exchange.url.split('?', 2)[1]).keys());
  let short = 0;
  for (const [name, body] of Object.entries({ request, answer })) {
    if (body === undefined) continue;
    // Counts the members in the text of streams and NDJSON too.
    if (typeof body.value === 'string') for (const [, member] of body.value.matchAll(/"(\w+)":/g)) said.add(member);
    visit(body.value, name, (path, value) => {
      if (value === null || value === '') return;
      said.add(path);
      if (typeof value === 'string' && value.length <= SHORT) short += 1;
    });
  }
  const tooLong = Math.max(0, text.length - COMFORTABLE) / 150;
  // The service accepts every alphabet, but fewer readers understand other ones.
  const strange = (HOSTILE.test(text) ? 40 : 0) + (/[^\n\t -~]/.test(text) ? 30 : 0);
  // Such a body has its own boundaries in its text.
  const inParts = request?.type === 'multipart/form-data' ? 50 : 0;
  return said.size * 2 - inParts - Math.min(short, 12) - tooLong - strange;
}

/** Arrays count by the members of their first two items. */
function visit(value, path, see) {
  if (Array.isArray(value)) for (const item of value.slice(0, 2)) visit(item, `${path}[]`, see);
  else if (value !== null && typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) visit(inner, `${path}.${key}`, see);
  else see(path, value);
}
