import type { IngestAnswer } from './ingestion-api.js';
import { type Api, api } from './service.js';

type Headers = Readonly<Record<string, string>>;

/** An event as reads return it. */
export interface IntakeEvent {
  readonly id: string;
  readonly event: string;
  readonly source: string;
  readonly severity: string | null;
  readonly status: string | null;
  readonly message: string | null;
  readonly environment: string | null;
  readonly external_event_id: string | null;
  readonly timestamp: string;
  readonly created_at: string;
  readonly properties: Record<string, unknown>;
}

interface Project {
  readonly projectId: string;
  readonly owner: { readonly accessToken: string };
}

/** Sends events to the routes of the intake. A text or buffer is sent as it is. */
export class IntakeApi {
  constructor(private readonly on: Api) {}

  /** @param path below `/intake/`, with its query */
  async send(path: string, body: object | string | Buffer, headers: Headers): Promise<IngestAnswer> {
    const request = this.on.post(`/intake/${path}`).set({ 'Content-Type': 'application/json', ...headers });
    const bytes = Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body);
    // A serializer of supertest would encode a buffer as JSON.
    const answer = await request.serialize((given: unknown) => given as string).send(bytes);
    const { status, text } = answer;
    return {
      status,
      headers: answer.headers,
      body: answer.body as IngestAnswer['body'],
      text,
    };
  }

  /** Returns the stored events of a project, in the order of their arrival. */
  async events({ projectId, owner }: Project): Promise<IntakeEvent[]> {
    const { body } = await this.on.as(owner).get('/v1/events', { project_id: projectId, limit: 200 }).expect(200);
    return (body as { items: IntakeEvent[] }).items.sort((one, other) => (one.id < other.id ? -1 : 1));
  }
}

/** Sends to the shared service. */
export const intake = new IntakeApi(api);
