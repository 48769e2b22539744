import { setTimeout as delay } from 'node:timers/promises';
import { ofGitHub } from './hook-deliveries.js';
import { type Account, Client, type Message } from './service-traffic.js';

const RETRY_MS = 50;

/** One request of a sender, with the own ids of its events. */
interface Sending {
  readonly ids: readonly string[];
  readonly message: Message & { body: string };
}

/** Makes the requests of a sender, one for each turn. Two senders may make requests with the same events. */
export type Sender = (turn: number) => Sending;

/** Senders that repeat each request until it is answered with 200, even while the service is down. */
export class IntakeTraffic {
  /** The ids of the events that were answered with 200. */
  readonly accepted = new Set<string>();
  /** Answers with another status than 200 and 503, which no sender should get. */
  readonly surprises: string[] = [];
  readonly over: Promise<void>;
  private isStopping = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly url: () => string,
    senders: readonly Sender[],
  ) {
    this.over = Promise.all(senders.map((sender) => this.run(sender))).then(() => undefined);
  }

  /** Waits until this many events were answered with 200. */
  async hasAccepted(count: number): Promise<void> {
    while (this.accepted.size < count) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  /** Lets every sender finish its request. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.over;
  }

  private async run(sender: Sender): Promise<void> {
    for (let turn = 0; !this.isStopping; turn += 1) {
      const { ids, message } = sender(turn);
      while (!(await this.send(message))) await delay(RETRY_MS);
      for (const id of ids) this.accepted.add(id);
      this.wake();
    }
  }

  private async send(message: Message): Promise<boolean> {
    const connection = new Client(this.url());
    const outcome = await connection.send(message);
    connection.close();
    if (outcome.kind !== 'answered') return false;
    if (outcome.status !== 200 && outcome.status !== 503) this.surprises.push(`${outcome.status} ${outcome.body}`);
    return outcome.status === 200;
  }
}

/** Sends lists of three events with an idempotency key. */
export function jsonSender({ apiKey }: Account, name: string): Sender {
  return (turn) => {
    const ids = [0, 1, 2].map((one) => `${name}-${turn}-${one}`);
    const headers = { 'Content-Type': 'application/json', 'X-API-Key': apiKey, 'Idempotency-Key': `${name}-${turn}` };
    const body = JSON.stringify(ids.map((event_id) => ({ event_id, type: 'order.paid' })));
    return { ids, message: { method: 'POST', path: '/intake/json', headers, body } };
  };
}

/** Sends batches of three CloudEvents, or one event in binary mode. Senders of one name send the same events. */
export function cloudEventsSender({ apiKey }: Account, name: string, mode: 'batch' | 'binary'): Sender {
  return (turn) => {
    const path = '/intake/cloudevents';
    if (mode === 'binary') {
      const id = `${name}-${turn}`;
      const attributes = { 'ce-specversion': '1.0', 'ce-id': id, 'ce-source': '/shop', 'ce-type': 'order.paid' };
      const headers = { 'Content-Type': 'application/json', 'X-API-Key': apiKey, ...attributes };
      return { ids: [id], message: { method: 'POST', path, headers, body: '{"amount":1}' } };
    }
    const ids = [0, 1, 2].map((one) => `${name}-${turn}-${one}`);
    const headers = { 'Content-Type': 'application/cloudevents-batch+json', 'X-API-Key': apiKey };
    const body = JSON.stringify(ids.map((id) => ({ specversion: '1.0', id, source: '/shop', type: 'order.paid' })));
    return { ids, message: { method: 'POST', path, headers, body } };
  };
}

/** Sends webhooks as GitHub does. Senders of one name send the same deliveries. */
export function hookSender(path: string, name: string): Sender {
  return (turn) => {
    const id = `${name}-${turn}`;
    const { headers, body } = ofGitHub('push', { ref: 'main', turn }, id);
    return {
      ids: [id],
      message: { method: 'POST', path, headers: { 'Content-Type': 'application/json', ...headers }, body },
    };
  };
}
