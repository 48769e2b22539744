import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

export interface DropLimits {
  /** What is read and dropped on all connections of a server together. */
  readonly bytesPerMs: number;
  /** How long a sender may go on before the connection is cut. Cut at once, it might never read the answer. */
  readonly lingerMs: number;
}

const DROP_LIMITS: DropLimits = { bytesPerMs: 16 * 1024, lingerMs: 5_000 };
/** What is left of a shorter body is not worth the trouble. */
const SHORT_BYTES = 64 * 1024;

interface Sender {
  readonly socket: Socket;
  /** Whether nothing more is dropped: the connection takes its next request. */
  readonly isDone: () => boolean;
  /** Set while it is not read. */
  isHeld: boolean;
  readonly hold: () => void;
  readonly cut: NodeJS.Timeout;
}

/**
 * What clients still send when they have their answer. It is read, since otherwise the system throws the answer away with
 * what it has received, and a client that writes all before it reads would wait for ever. But a thousand refused bodies of
 * megabytes are some seconds of reading. So the connections are read in turn, at a rate that leaves the process to others.
 */
export class DroppedBytes {
  private readonly senders: Sender[] = [];
  private isAtWork = false;

  constructor(private readonly limits = DROP_LIMITS) {}

  /** Drops the rest of a long body once the request is answered. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    const { headers } = request;
    if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= SHORT_BYTES) return;
    response.once('finish', () => {
      if (request.complete) return;
      // A reader that stopped early may have left its listener, and what comes would be kept for it.
      request
        .removeAllListeners('readable')
        .on('error', () => undefined)
        .resume();
      this.drop(request.socket, () => request.complete);
    });
  }

  /** Drops what comes on a connection until `isDone`, and cuts it when that takes too long. */
  drop(socket: Socket, isDone = (): boolean => false): void {
    if (socket.destroyed || isDone()) return;
    const sender: Sender = {
      socket,
      isDone,
      isHeld: true,
      // The end of an answer, and of a pause of ours, has Node read on.
      hold: () => {
        if (sender.isHeld) socket.pause();
      },
      cut: setTimeout(() => socket.destroy(), this.limits.lingerMs).unref(),
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

  /** Reads for one turn of the event loop. @returns the bytes that have come */
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

  private letGo({ socket, hold, cut }: Sender): void {
    clearTimeout(cut);
    socket.off('resume', hold).resume();
  }
}
