// What was recorded, and which of it is an example: of each operation the exchange that says most with the fewest words.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the document takes or gives bytes of whatever type. */
const ANYTHING = ['*/*', 'application/octet-stream'];
const JSON_TYPE = 'application/json';
/** Of request and answer together, in characters; what is longer costs more than it says. */
const COMFORTABLE = 1_800;
/** Of tests that send what nobody should. */
const HOSTILE =
  /hunter2|<script|\\u0000|__proto__|(.)\1{24}|Mallory|hostile|\.\.\/|constructor|\[redacted\]|example\.com\/hidden|"the \w+"|unknown_field|evil|secret:USER|=on\b/;
/** The test that is written to be read: what it has a whole exchange of, no other is asked for. */
const TOUR = 'day-of-a-shop';
/** Fewer letters are no name that somebody would give. */
const SHORT = 2;

/** Every recorded exchange, in an order that does not depend on which test was faster. */
export function readExchanges(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/**
 * The best exchange of an operation, of the tour where it has one, as `{ url, request?, answer? }`, each with its media type and value; null when none has
 * all that the document says of it.
 */
export function bestExchange(exchanges, operation) {
  const [status, success] = Object.entries(operation.responses).find(([code]) => code.startsWith('2'));
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

/** undefined where the document has no body, or none is needed; null where it has one of another kind. */
function part(type, text, content, isOptional = false) {
  if (content === undefined || (isOptional && text === '')) return undefined;
  const key = content[type] === undefined ? ANYTHING.find((name) => content[name] !== undefined) : type;
  if (key === undefined || text === '') return null;
  return { type: key, value: valueOf(key, text) };
}

/** The document has forms as objects. */
function valueOf(type, text) {
  if (type === JSON_TYPE) return JSON.parse(text);
  if (type === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(text));
  return type === 'text/event-stream' ? lastMessage(text) : text;
}

/** What a stream tells while it is read, which its schema describes: not the heartbeat between. */
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
    // Streams and lines say something by their members too.
    if (typeof body.value === 'string') for (const [, member] of body.value.matchAll(/"(\w+)":/g)) said.add(member);
    visit(body.value, name, (path, value) => {
      if (value === null || value === '') return;
      said.add(path);
      if (typeof value === 'string' && value.length <= SHORT) short += 1;
    });
  }
  const tooLong = Math.max(0, text.length - COMFORTABLE) / 150;
  // Other alphabets are taken as well as this one, and read by fewer people.
  const strange = (HOSTILE.test(text) ? 40 : 0) + (/[^\n\t -~]/.test(text) ? 30 : 0);
  // Which has its own boundaries in its text.
  const inParts = request?.type === 'multipart/form-data' ? 50 : 0;
  return said.size * 2 - inParts - Math.min(short, 12) - tooLong - strange;
}

/** Arrays count by what their first items say. */
function visit(value, path, see) {
  if (Array.isArray(value)) for (const item of value.slice(0, 2)) visit(item, `${path}[]`, see);
  else if (value !== null && typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) visit(inner, `${path}.${key}`, see);
  else see(path, value);
}
