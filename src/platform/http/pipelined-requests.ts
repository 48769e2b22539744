import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CheckedRequest } from './inputs.js';

/**
 * Maximum number of requests of one connection that run at the same time, until their answers are sent. Further
 * requests wait, and the connection is not read meanwhile.
 */
const MAX_STARTED = 8;
/**
 * Maximum number of requests that wait on all connections of the process. Each takes some kilobytes. Beyond this limit,
 * a connection that already has {@link MANY_WAITING} waiting requests is closed when it sends another one.
 */
const MAX_WAITING = 8_192;
const MANY_WAITING = 8;

const LINE = Symbol('requests of the connection');

type Start = (request: CheckedRequest, response: ServerResponse) => void;
type Connection = Socket & { [LINE]?: Line };

interface Waiting {
  readonly request: CheckedRequest;
  readonly response: ServerResponse;
}

/**
 * Limits the requests of each connection that run at a time. Node starts all pipelined requests that a client has sent,
 * which may be thousands in a single packet. When the connection closes, waiting requests are dropped, and running
 * requests get the event `close`.
 */
export function pipelined(start: Start): Start {
  const all: AllWaiting = { count: 0 };
  return (request, response) => {
    const socket = request.socket as Connection;
    const line = (socket[LINE] ??= new Line(socket, start, all));
    line.take(request, response);
  };
}

/** The requests that wait on all connections of a server. */
interface AllWaiting {
  count: number;
}

class Line {
  private readonly started: ServerResponse[] = [];
  private waiting: Waiting[] = [];
  private isHeld = false;
  private isStarting = false;

  constructor(
    private readonly socket: Socket,
    private readonly start: Start,
    private readonly all: AllWaiting,
  ) {
    socket.once('close', () => this.drop());
  }

  take(request: CheckedRequest, response: ServerResponse): void {
    if (this.started.length < MAX_STARTED && this.waiting.length === 0) {
      this.begin(request, response);
      return;
    }
    if (this.all.count >= MAX_WAITING && this.waiting.length >= MANY_WAITING) this.socket.destroy();
    // The last packet may contain further requests after the connection was closed.
    if (this.socket.destroyed) {
      abandon(response);
      return;
    }
    this.waiting.push({ request, response });
    this.all.count += 1;
    this.hold();
  }

  private begin(request: CheckedRequest, response: ServerResponse): void {
    this.started.push(response);
    response.once('close', () => this.end(response));
    // A request that waited may already have been answered because of a fault in its body.
    if (!response.writableEnded) this.start(request, response);
  }

  private end(response: ServerResponse): void {
    this.started.splice(this.started.indexOf(response), 1);
    if (this.waiting.length === 0 || this.isStarting) return;
    this.isStarting = true;
    // Starts the next requests in the next event-loop turn, so that answers without a wait do not block all other
    // requests.
    setImmediate(() => this.startWaiting());
  }

  private startWaiting(): void {
    this.isStarting = false;
    const begun = this.waiting.splice(0, MAX_STARTED - this.started.length);
    this.all.count -= begun.length;
    for (const { request, response } of begun) this.begin(request, response);
    if (this.waiting.length === 0 && !this.socket.destroyed) this.socket.resume();
  }

  /** Pauses the connection. When a handler reads a body, Node resumes the connection, so it is then paused again. */
  private hold(): void {
    if (!this.isHeld) {
      this.isHeld = true;
      this.socket.on('resume', () => {
        if (this.waiting.length > 0) this.socket.pause();
      });
    }
    this.socket.pause();
  }

  private drop(): void {
    const { waiting } = this;
    this.waiting = [];
    this.all.count -= waiting.length;
    for (const { response } of waiting) abandon(response);
    for (const response of [...this.started]) abandon(response);
  }
}

/** Closes a response whose sending Node has not started. Node emits `close` only on the response that is being sent. */
function abandon(response: ServerResponse): void {
  if (response.closed || response.socket !== null) return;
  Object.assign(response, { destroyed: true, _closed: true });
  response.emit('close');
}
