import { setTimeout as delay } from 'node:timers/promises';
import { Client, ingestMessage, type Account } from './service-traffic.js';

const RETRY_MS = 50;

/**
 * Clients that send one event after the other, each with an idempotency key, and the same one again until it is answered
 * 200: also when nobody listens, and wherever the service is by then.
 */
export class StubbornTraffic {
  /** Identifiers of the events that were answered 200. */
  readonly accepted: string[] = [];
  /** Statuses of other answers, by how often they came. */
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

  /** Waits until so many events were answered 200. */
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
