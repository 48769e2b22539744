import type { ServerResponse } from 'node:http';
import { type SlowClientLimits, SlowClientTimer } from './slow-client.js';

/** Bytes written to the socket at a time. Small slices show whether a client reads slowly or not at all. */
const SLICE_BYTES = 64 * 1024;

/** The client has disconnected, or was disconnected because it read too slowly. */
export class ClientGone extends Error {}

/** Writes to a response no faster than its client reads. */
export class PacedResponse {
  /** The bytes that were written to the socket. */
  given = 0;
  private readonly time: SlowClientTimer;

  constructor(
    private readonly response: ServerResponse,
    limits: SlowClientLimits,
  ) {
    this.time = new SlowClientTimer(limits);
  }

  /** Resolves when the socket has all bytes. @throws ClientGone */
  async write(bytes: Buffer): Promise<void> {
    this.time.give(bytes.length);
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      this.mustBeThere();
      const slice = bytes.subarray(at, at + SLICE_BYTES);
      this.given += slice.length;
      if (!this.response.write(slice)) await this.when('drain');
    }
    this.time.taken();
  }

  /** Resolves when the whole answer is sent to the client. @throws ClientGone */
  async end(): Promise<void> {
    this.mustBeThere();
    this.response.end();
    if (!this.response.writableFinished) await this.when('finish');
  }

  private mustBeThere(): void {
    if (this.response.destroyed || this.response.closed) throw new ClientGone();
  }

  private when(event: 'drain' | 'finish'): Promise<void> {
    const { response } = this;
    return new Promise((resolve, reject) => {
      const settle = (tell: () => void): void => {
        clearTimeout(stalled);
        response.off(event, done).off('close', gone);
        tell();
      };
      const done = (): void => settle(resolve);
      const gone = (): void => settle(() => reject(new ClientGone()));
      const stalled = setTimeout(() => response.destroy(), this.time.leftMs);
      stalled.unref();
      response.once(event, done).once('close', gone);
    });
  }
}
