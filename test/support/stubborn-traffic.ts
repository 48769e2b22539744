import { setTimeout as delay } from 'node:timers/promises';
import { Client, ingestMessage, type Account } from './service-traffic.js';

const RETRY_MS = 50;

/**
 * Clients that send one event after another, each with an idempotency key. A client repeats an event until it is
 * answered with 200, even while the service is down or has moved to another address.
 */
export class StubbornTraffic {
  /** The ids of the events that were answered with 200. */
  readonly accepted: string[] = [];
  /** The number of other answers by status. */
  readonly refusals: Record<number, number> = {};
  readonly over: Promise<void>;
  private wake: () => void = () => undefined;

  constructor(
    private readonly url: () => string,
    private readonly account: Account,
    clients: number,
    private readonly eventsEach: number,
    private readonly prefix = 'stubborn',
  ) {
    this.over = Promise.all(Array.from({ length: clients }, (_, client) => this.run(client))).then(() => this.wake());
  }

  /** Waits until this many events were answered with 200. */
  async hasAccepted(count: number): Promise<void> {
    while (this.accepted.length < count) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  private async run(client: number): Promise<void> {
    for (let turn = 0; turn < this.eventsEach; turn += 1) {
      const id = `${this.prefix}-${client}-${turn}`;
      while (!(await this.send(id))) await delay(RETRY_MS);
      this.accepted.push(id);
      this.wake();
    }
  }

  private async send(id: string): Promise<boolean> {
    const message = ingestMessage(this.account, id);
    const connection = new Client(this.url());
    const outcome = await connection.send({ ...message, headers: { ...message.headers, 'Idempotency-Key': id } });
    connection.close();
    if (outcome.kind !== 'answered') return false;
    if (outcome.status !== 200) this.refusals[outcome.status] = (this.refusals[outcome.status] ?? 0) + 1;
    return outcome.status === 200;
  }
}
