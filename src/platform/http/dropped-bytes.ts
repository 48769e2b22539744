import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

export interface DropLimits {
  /** Maximum bytes per millisecond that are read and dropped, on all connections of the server together. */
  readonly bytesPerMs: number;
  /**
   * How long a client may continue to send before its connection is closed. If the connection were closed at once, the
   * client might not be able to read the answer.
   */
  readonly lingerMs: number;
}

const DROP_LIMITS: DropLimits = { bytesPerMs: 16 * 1024, lingerMs: 5_000 };
/** Bodies up to this size are read to their end at once. */
const SHORT_BYTES = 64 * 1024;

interface Sender {
  readonly socket: Socket;
  /** Whether the body has ended, so that the connection can take its next request. */
  readonly isDone: () => boolean;
  /** Set while the connection is not read. */
  isHeld: boolean;
  readonly hold: () => void;
  readonly cut: NodeJS.Timeout;
  /** Called when the body has ended. */
  readonly andThen: () => void;
}

/**
 * Reads and drops the bytes that clients still send after they were answered. If the connection were closed at once,
 * the answer could be lost, and a client that writes its whole body before it reads would never see it. Reading a
 * thousand refused bodies of megabytes takes seconds, so the connections are read in turn and at a limited rate.
 */
export class DroppedBytes {
  private readonly senders: Sender[] = [];
  private isAtWork = false;

  constructor(private readonly limits = DROP_LIMITS) {}

  /** After the answer, drops the rest of the body if the body is long or the connection is to be closed. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    const { headers, socket } = request;
    const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
    if (length === 0 || (length <= SHORT_BYTES && response.shouldKeepAlive)) return;
    const destroySoon = socket.destroySoon.bind(socket);
    let close = (): void => undefined;
    // Node calls this to close the connection after its last answer. While a body is arriving, that would discard the
    // answer.
    socket.destroySoon = () => {
      if (request.complete) destroySoon();
      else close = destroySoon;
    };
    response.once('close', () => Reflect.deleteProperty(socket, 'destroySoon'));
    response.once('finish', () => {
      if (request.complete) return;
      // A reader that stopped early may have left its listener. Because of that listener, Node would keep the bytes in
      // memory.
      request
        .removeAllListeners('readable')
        .on('error', () => undefined)
        .resume();
      this.drop(socket, () => request.complete, close);
    });
  }

  /** Drops incoming bytes of a connection until `isDone`, and cuts the connection after `lingerMs`. */
  drop(socket: Socket, isDone = (): boolean => false, andThen = (): void => undefined): void {
    if (socket.destroyed || isDone()) return;
    const sender: Sender = {
      socket,
      isDone,
      isHeld: true,
      // Node resumes the connection when an answer ends, so it is paused again.
      hold: () => {
        if (sender.isHeld) socket.pause();
      },
      cut: setTimeout(() => socket.destroy(), this.limits.lingerMs).unref(),
      andThen,
    };
    socket.on('resume', sender.hold).pause();
    this.senders.push(sender);
    if (!this.isAtWork) void this.work();
  }

  private async work(): Promise<void> {
    this.isAtWork = true;
    for (let waitMs = 1; this.senders.length > 0;) {
      await pause(waitMs, undefined, { ref: false });
      const sender = this.senders.shift();
      if (sender === undefined) break;
      const bytes = sender.socket.destroyed ? 0 : await this.readOnce(sender);
      waitMs = Math.max(1, bytes / this.limits.bytesPerMs);
      if (sender.socket.destroyed || sender.isDone()) this.letGo(sender);
      else this.senders.push(sender);
    }
    this.isAtWork = false;
  }

  /** Reads a connection for one event-loop turn. @returns the number of bytes received */
  private async readOnce(sender: Sender): Promise<number> {
    const { socket } = sender;
    const before = socket.bytesRead;
    sender.isHeld = false;
    socket.resume();
    await nextTurn();
    sender.isHeld = true;
    if (!sender.isDone()) socket.pause();
    return socket.bytesRead - before;
  }

  private letGo({ socket, hold, cut, andThen }: Sender): void {
    clearTimeout(cut);
    socket.off('resume', hold).resume();
    andThen();
  }
}
