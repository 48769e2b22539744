import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { PASSWORD, randomEmail } from './actors.js';
import { query } from './embedded-database.js';
import { tokenIn, waitForMails } from './outbox.js';

export interface Account {
  readonly email: string;
  readonly accessToken: string;
  readonly apiKey: string;
  readonly projectId: string;
}

export interface Message {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * `answered`: the answer is complete. `cut`: the answer began and broke off. `lost`: the request was sent and no answer
 * came. `refused`: nothing listened.
 */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | { readonly kind: 'cut' | 'lost' | 'refused'; readonly reason: string };

/** A client with one persistent connection. */
export class Client {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(private readonly url: string) {}

  send(message: Message): Promise<Outcome> {
    const sent = this.open(message);
    sent.end(message.body);
    return outcomeOf(sent);
  }

  /** Sends the head of a request. Resolves when the service has accepted it and requested the body. */
  async announce(message: Message & { body: string }): Promise<{ finish(): void; outcome: Promise<Outcome> }> {
    const sent = this.open({ ...message, headers: { ...message.headers, Expect: '100-continue' } });
    const outcome = outcomeOf(sent);
    sent.flushHeaders();
    await Promise.race([once(sent, 'continue'), outcome]);
    return { finish: () => sent.end(message.body), outcome };
  }

  /** Sends a request and reads only the status of its answer until `read` is called. */
  async ask(message: Message): Promise<{ status: number; read(): Promise<Outcome> }> {
    const sent = this.open(message);
    sent.end(message.body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, read: () => readOut(response) };
  }

  close(): void {
    this.agent.destroy();
  }

  private open({ method = 'GET', path, headers, body }: Message): ClientRequest {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    return request(this.url + path, { agent: this.agent, method, headers: { ...headers, ...length } });
  }
}

async function outcomeOf(sent: ClientRequest): Promise<Outcome> {
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return await readOut(response);
  } catch (error) {
    const reason = codeOf(error);
    return { kind: reason === 'ECONNREFUSED' ? 'refused' : 'lost', reason };
  }
}

async function readOut(response: IncomingMessage): Promise<Outcome> {
  try {
    return { kind: 'answered', status: response.statusCode ?? 0, body: await text(response) };
  } catch (error) {
    return { kind: 'cut', reason: codeOf(error) };
  }
}

/** Errors of Node itself are not instances of the sandbox's Error. */
function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

/** Sends one request and parses the JSON answer. */
export async function call(url: string, message: Message): Promise<{ status: number; body: Record<string, unknown> }> {
  const client = new Client(url);
  try {
    const outcome = await client.send(message);
    if (outcome.kind !== 'answered') throw new Error(`${message.path}: ${outcome.kind} (${outcome.reason})`);
    return { status: outcome.status, body: JSON.parse(outcome.body) as Record<string, unknown> };
  } finally {
    client.close();
  }
}

export const HEALTH: Message = { path: '/health' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

export function loginMessage(email: string): Message & { body: string } {
  return {
    method: 'POST',
    path: '/v1/auth/login',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ username: email, password: PASSWORD }).toString(),
  };
}

/** Returns a request for the account that the token belongs to. */
export function meMessage({ accessToken }: Account): Message {
  return { path: '/v1/auth/me', headers: { Authorization: `Bearer ${accessToken}` } };
}

/** Returns a request that ingests an event. `id` is the event's own id, with which a test finds the event again. */
export function ingestMessage(account: Account, id: string, payload: object = {}): Message & { body: string } {
  return {
    method: 'POST',
    path: '/v1/events/ingest',
    headers: { ...JSON_TYPE, 'X-API-Key': account.apiKey },
    body: JSON.stringify({ event_type: 'order.paid', source: 'shop', event_id: id, payload }),
  };
}

/** Creates a verified account with an organization, a project and a key. */
export async function openAccount(url: string, dataDir: string): Promise<Account> {
  const email = randomEmail();
  const slug = randomBytes(6).toString('hex');
  const made = async (status: number, message: Message): Promise<Record<string, string>> => {
    const answer = await call(url, message);
    if (answer.status !== status) throw new Error(`${message.path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Record<string, string>;
  };
  const post = (status: number, path: string, body: object, headers = {}): Promise<Record<string, string>> =>
    made(status, { method: 'POST', path, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) });

  await post(201, '/v1/auth/register', { email, password: PASSWORD });
  const [mail] = await waitForMails(dataDir, email, 1);
  if (mail === undefined) throw new Error('no mail');
  await post(200, '/v1/auth/verify-email', { email, token: tokenIn(mail) });
  const { access_token: accessToken = '' } = await made(200, loginMessage(email));
  const bearer = { Authorization: `Bearer ${accessToken}` };
  const organization = await post(201, '/v1/organizations', { name: 'Acme', slug }, bearer);
  const project = await post(201, '/v1/projects', { organization_id: organization.id, name: 'Shop', slug }, bearer);
  const key = await post(
    201,
    '/v1/api-keys',
    { project_id: project.id, name: 'Test', scopes: ['events:write'] },
    bearer,
  );
  return { email, accessToken, apiKey: key.key ?? '', projectId: project.id ?? '' };
}

/** Clients that each send one event after another over their own connection until a request gets no answer. */
export class IngestTraffic {
  /** The ids of the events that were answered with 200. */
  readonly accepted: string[] = [];
  /** Every other outcome: the last of each client, and answers with another status. */
  readonly others: Outcome[] = [];
  readonly over: Promise<void>;
  private wake: () => void = () => undefined;

  constructor(
    private readonly url: string,
    private readonly account: Account,
    clients: number,
    private readonly name = 'client',
  ) {
    this.over = Promise.all(Array.from({ length: clients }, (_, index) => this.run(index))).then(() => undefined);
  }

  /** Waits until this many events were answered with 200. */
  async hasAccepted(count: number): Promise<void> {
    const over = this.over.then(() => Promise.reject(new Error(`the traffic ended: ${JSON.stringify(this.others)}`)));
    const enough = async (): Promise<void> => {
      while (this.accepted.length < count) await new Promise<void>((resolve) => (this.wake = resolve));
    };
    await Promise.race([enough(), over]);
  }

  private async run(client: number): Promise<void> {
    const connection = new Client(this.url);
    for (let count = 0; ; count += 1) {
      const id = `${this.name}-${client}-${count}`;
      const outcome = await connection.send(ingestMessage(this.account, id));
      if (outcome.kind === 'answered' && outcome.status === 200) {
        this.accepted.push(id);
        this.wake();
        continue;
      }
      this.others.push(outcome);
      if (outcome.kind !== 'answered') break;
    }
    connection.close();
  }
}

/** Returns the own ids of the stored events, sorted, and the number of counted events. */
export async function storedEvents(databaseUrl: string): Promise<{ ids: string[]; counted: number }> {
  const [row] = await query(
    databaseUrl,
    `SELECT (SELECT coalesce(json_agg(external_event_id), '[]') FROM events) AS ids,
            (SELECT coalesce(sum(events_ingested), 0)::int FROM usage_daily) AS counted`,
  );
  const { ids, counted } = row as { ids: string[]; counted: number };
  return { ids: ids.sort(), counted };
}
