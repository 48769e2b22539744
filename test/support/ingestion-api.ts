import { type Api, api } from './service.js';

type Headers = Readonly<Record<string, string | string[]>>;

export interface IngestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Record<string, unknown>;
  /** The body before it was parsed. */
  readonly text: string;
}

/** Sends events to a service. A text is sent as it is. */
export class IngestionApi {
  constructor(private readonly on: Api) {}

  async ingest(apiKey: string, body: object | string, headers: Headers = {}): Promise<IngestAnswer> {
    const request = this.on.as({ apiKey }).post('/v1/events/ingest');
    const answer = await request.set({ 'Content-Type': 'application/json', ...headers }).send(body);
    return answerOf(answer);
  }

  async lines(apiKey: string, lines: readonly (object | string)[], headers: Headers = {}): Promise<IngestAnswer> {
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    return this.ingest(apiKey, text, { 'Content-Type': 'application/x-ndjson', ...headers });
  }

  /** Sends an event as the dashboard does. */
  async record(accessToken: string, body: object): Promise<IngestAnswer> {
    return answerOf(await this.on.as({ accessToken }).post('/v1/events', body));
  }
}

function answerOf(answer: { status: number; headers: unknown; body: unknown; text: string }): IngestAnswer {
  const { status, text } = answer;
  return {
    status,
    headers: answer.headers as IngestAnswer['headers'],
    body: answer.body as IngestAnswer['body'],
    text,
  };
}

/** Sends to the shared service. */
export const ingestion = new IngestionApi(api);
