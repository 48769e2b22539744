// Sends generated requests, and accepts any answer.
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';

const ANSWERED_WITHIN_MS = 60_000;
/** The client closes a connection that stays open: so long after an answer, and so long without any answer. */
const QUIET_MS = 300;
const SILENT_MS = 5_000;

/** The service may close a connection while the client still writes a body, also after an answer. */
class TolerantAgent extends Agent {
  createConnection(...order) {
    return super.createConnection(...order).on('error', () => undefined);
  }
}

export class Sender {
  constructor(url, connections) {
    this.url = new URL(url);
    this.agent = new TolerantAgent({ keepAlive: true, maxSockets: connections });
  }

  /** @returns the answers: one for a request, any number for `bytes`; an element has `fault` if no answer came */
  send({ method, target, headers, body, bytes }) {
    return bytes === undefined ? this.ask(method, target, headers, body) : this.write(bytes);
  }

  ask(method, target, headers, body, isAgain = false) {
    return new Promise((resolve) => {
      let request;
      // Node does not add a Content-Length for methods that usually have no body.
      const framed = body === undefined ? headers : { ...headers, 'Content-Length': Buffer.byteLength(body) };
      const fault = (error) => {
        // The service closed an idle connection, so it has not received the request. The request is sent again once.
        if (error.code === 'ECONNRESET' && request?.reusedSocket && !isAgain)
          resolve(this.ask(method, target, headers, body, true));
        else resolve([{ fault: `no answer: ${error.code ?? ''} ${error.message}` }]);
      };
      try {
        request = httpRequest({
          agent: this.agent,
          host: this.url.hostname,
          port: this.url.port,
          method,
          path: target,
          headers: framed,
        });
      } catch (error) {
        // Node refuses to send the request.
        resolve([{ unsendable: error.code }]);
        return;
      }
      request.setTimeout(ANSWERED_WITHIN_MS, () => request.destroy(new Error('timeout')));
      request.on('error', fault);
      request.on('continue', () => request.end(body));
      request.on('response', (response) => {
        const { statusCode: status, headers: received } = response;
        const chunks = [];
        const done = () => resolve([{ status, headers: received, text: Buffer.concat(chunks).toString() }]);
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', done);
        response.on('error', fault);
        if (/event-stream/.test(received['content-type'] ?? '')) {
          resolve([{ status, headers: received, text: '', isStream: true }]);
          response.removeAllListeners('error').on('error', () => undefined);
          request.removeAllListeners('error').on('error', () => undefined);
          request.destroy();
        }
      });
      if (headers.Expect === '100-continue') request.flushHeaders();
      else request.end(body);
    });
  }

  write(bytes) {
    return new Promise((resolve) => {
      const chunks = [];
      const socket = connect(Number(this.url.port), this.url.hostname);
      let isReset = false;
      socket.setTimeout(SILENT_MS, () => socket.end());
      socket.on('connect', () => socket.write(bytes));
      socket.on('data', (chunk) => {
        chunks.push(chunk);
        socket.setTimeout(QUIET_MS);
      });
      socket.on('end', () => socket.end());
      socket.on('error', () => (isReset = true));
      socket.on('close', () => {
        const answers = answersIn(Buffer.concat(chunks).toString('latin1'));
        resolve(answers.length === 0 && isReset ? [{ fault: 'reset without an answer' }] : answers);
      });
    });
  }

  close() {
    this.agent.destroy();
  }
}

function answersIn(text) {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((answer) => answer !== '' && !answer.startsWith('HTTP/1.1 100'))
    .map((answer) => {
      const [head, ...rest] = answer.split('\r\n\r\n');
      const [line, ...lines] = head.split('\r\n');
      const headers = Object.fromEntries(
        lines.map((one) => [one.split(':', 1)[0].toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]),
      );
      return { status: Number(line.split(' ')[1]), headers, text: rest.join('\r\n\r\n') };
    });
}
