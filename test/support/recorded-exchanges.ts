import { appendFileSync, mkdirSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { expect } from '@jest/globals';
import { answeredBody, contentType, operationOf, sentBody } from './exchange.js';

/** One request with its answer. `RECORD_EXAMPLES=<folder> npm test` writes each as one line of JSON. */
export interface RecordedExchange {
  operationId: string;
  /** The spec file and the title of the test that sent the request. */
  spec: string;
  test: string;
  /** The path and query as sent. */
  url: string;
  sentType: string;
  sent: string;
  status: number;
  type: string;
  answered: string;
}

/** A request of the service, of any operation. */
type AnsweredRequest = Omit<RecordedExchange, 'operationId' | 'spec' | 'test'> & { method: string | undefined };

/** Longer exchanges are not recorded, because they are no good examples. In bytes of text. */
const LONGEST = 24_000;
/** The limit per operation and spec file. Later exchanges are similar to earlier ones. */
const MOST_OF_ONE = 40;

/** Writes the successful exchanges of an instance to a file. */
export class RecordedExchanges {
  private readonly counts = new Map<string, number>();

  /** @param folder is created when it does not exist; every spec file has its own file in it */
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
  }

  watch(server: Server): void {
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      if (operationOf(request) === undefined) return;
      const sentType = (request.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
      const sent = sentBody(request, sentType);
      const answered = answeredBody(response, () => true);
      // Streams end only when their readers disconnect.
      response.once('close', () => {
        const { method, url = '' } = request;
        const { statusCode: status } = response;
        const type = contentType(response);
        this.record({ method, url, sentType, sent: sent(), status, type, answered: answered() });
      });
    });
  }

  record({ method, ...exchange }: AnsweredRequest): void {
    const operationId = operationOf({ method, url: exchange.url })?.operation.operationId;
    const { status, sent, answered } = exchange;
    if (operationId === undefined || status >= 300 || sent.length > LONGEST || answered.length > LONGEST) return;
    const count = this.counts.get(operationId) ?? 0;
    if (count >= MOST_OF_ONE) return;
    this.counts.set(operationId, count + 1);
    const { testPath = '', currentTestName: test = '' } = expect.getState();
    const spec = basename(testPath, '.spec.ts');
    appendFileSync(
      join(this.folder, `${spec}.ndjson`),
      `${JSON.stringify({ operationId, ...exchange, spec, test })}\n`,
    );
  }
}
