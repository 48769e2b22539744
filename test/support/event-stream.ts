import { type ClientRequest, get, type IncomingMessage } from 'node:http';

export interface StreamMessage {
  type: string;
  timestamp?: number;
  detail?: string;
  log?: { id: string; timestamp: string; endpoint: string };
  event?: { id: string; timestamp: string; event: string };
  alert_event?: { id: string; status: string; occurrences: number };
}

/** A client of an event stream over a socket of its own. */
export class StreamClient {
  readonly messages: StreamMessage[] = [];
  /** The received text, without the headers. */
  text = '';
  /** Resolves with the way in which the stream ended. */
  readonly over: Promise<'ended' | 'cut'>;
  private response: IncomingMessage | undefined;
  private rest = '';
  private wake: () => void = () => undefined;
  private isOver = false;

  private constructor(private readonly request: ClientRequest) {
    this.over = new Promise((resolve) => {
      const finish = (how: 'ended' | 'cut'): void => {
        this.isOver = true;
        this.wake();
        resolve(how);
      };
      request.on('error', () => finish('cut'));
      request.on('response', (response) => {
        response.on('end', () => finish('ended')).on('error', () => finish('cut'));
      });
    });
  }

  /** Resolves when the headers have arrived. */
  static open(app: { readonly url: string }, path: string, bearer: string): Promise<StreamClient> {
    const request = get(`${app.url}${path}`, { headers: { Authorization: bearer }, agent: false });
    const client = new StreamClient(request);
    return new Promise((resolve, reject) => {
      request.once('error', reject);
      request.once('response', (response) => {
        client.response = response;
        response.setEncoding('utf8').on('data', (chunk: string) => client.take(chunk));
        resolve(client);
      });
    });
  }

  get status(): number {
    return this.response?.statusCode ?? 0;
  }

  get headers(): IncomingMessage['headers'] {
    return this.response?.headers ?? {};
  }

  /** The received rows, in order. */
  get rows(): { id: string; timestamp: string }[] {
    return this.messages.flatMap(({ log, event }) => log ?? event ?? []);
  }

  get ids(): string[] {
    return this.rows.map(({ id }) => id);
  }

  get heartbeats(): StreamMessage[] {
    return this.messages.filter(({ type }) => type === 'heartbeat');
  }

  /** Waits until the messages satisfy the condition. Fails when the stream ends before. */
  async until(holds: (client: StreamClient) => boolean): Promise<void> {
    while (!holds(this)) {
      if (this.isOver) throw new Error(`the stream ended after ${JSON.stringify(this.messages.slice(-3))}`);
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  pause(): void {
    this.response?.pause();
  }

  resume(): void {
    this.response?.resume();
  }

  close(): void {
    this.request.destroy();
  }

  private take(chunk: string): void {
    this.text += chunk;
    const frames = (this.rest + chunk).split('\n\n');
    this.rest = frames.pop() ?? '';
    for (const frame of frames) this.messages.push(JSON.parse(frame.replace(/^data: /, '')) as StreamMessage);
    this.wake();
  }
}
