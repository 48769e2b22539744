// The payment provider of the shared service. It forwards each request to the stand-in that has registered a word of
// the path or body, and answers 404 when no stand-in has. A stand-in registers its token, which is part of every id
// that it creates, and the ids of the organizations and accounts whose customers the service is about to create.
import { createServer, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { close, listen } from '../http-server.mjs';

/** Stand-ins send POST `{ origin, words }` to this path, and DELETE `{ origin }` at the end of their file. */
const CONTROL_PATH = '/stand-ins';
/** Ids have underscores between their parts; UUIDs have hyphens. */
const BETWEEN_WORDS = /[^0-9A-Za-z-]+/;
const OF_ONE_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * @param {(() => Promise<void>)[]} stops collects the functions that stop the relay at the end of the run
 * @returns {Promise<{ origin: string, control: string }>} the address of the API, and the address where stand-ins
 * register
 */
export async function startPaymentRelay(stops) {
  /** The origins of stand-ins by word. */
  const standIns = new Map();
  const server = createServer((request, response) => {
    void text(request)
      .then((body) => {
        if (request.url === CONTROL_PATH) register(standIns, request.method, JSON.parse(body), response);
        else passOn(standIns, request, body, response);
      })
      .catch(() => response.destroy());
  });
  const origin = await listen(server);
  server.unref();
  stops.push(() => close(server));
  return { origin, control: origin + CONTROL_PATH };
}

function register(standIns, method, { origin, words = [] }, response) {
  if (method === 'DELETE') {
    for (const [word, registered] of standIns) if (registered === origin) standIns.delete(word);
  } else {
    for (const word of words) standIns.set(word, origin);
  }
  response.writeHead(204).end();
}

function passOn(standIns, { method, url, headers }, body, response) {
  const word = `${url} ${body}`.split(BETWEEN_WORDS).find((one) => standIns.has(one));
  if (word === undefined) return refuse(response);
  const request = send(standIns.get(word) + url, { method, headers: ofEveryConnection(headers), agent: false });
  // When the service aborts a request, the relay aborts it at the stand-in, and an answer that breaks off there breaks
  // off here.
  response.on('close', () => request.destroy());
  request.on('error', () => response.destroy());
  request.on('response', (answer) => {
    answer.on('error', () => response.destroy());
    response.writeHead(answer.statusCode, ofEveryConnection(answer.headers));
    answer.pipe(response);
  });
  request.end(body);
}

function ofEveryConnection(headers) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_CONNECTION.includes(name)));
}

function refuse(response) {
  const message = 'No spec file has a stand-in for this request';
  response.writeHead(404, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ error: { type: 'invalid_request_error', code: 'resource_missing', message } }));
}
