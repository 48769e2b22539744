import { appendFileSync, mkdirSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { expect } from '@jest/globals';
import { answeredBody, contentType, operationOf, sentBody } from './exchange.js';

/** One request with its answer, as `RECORD_EXAMPLES=<folder> npm test` writes them: a line of JSON each. */
export interface RecordedExchange {
  operationId: string;
  /** The file and the name of the test that sent it. */
  spec: string;
  test: string;
  /** With its query, as it was sent. */
  url: string;
  sentType: string;
  sent: string;
  status: number;
  type: string;
  answered: string;
}

/** A request of the service, whatever its operation is. */
type AnsweredRequest = Omit<RecordedExchange, 'operationId' | 'spec' | 'test'> & { method: string | undefined };

/** More would be no example of anything, in bytes of text. */
const LONGEST = 24_000;
/** Of one operation in one file of tests: what comes later is much like what came before. */
const MOST_OF_ONE = 40;

/** Writes down what an instance was sent and answered with success. */
export class RecordedExchanges {
  private readonly counts = new Map<string, number>();

  /** @param folder is made when it is not there; every file of tests has a file of its own in it */
  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
  }

  watch(server: Server): void {
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      if (operationOf(request) === undefined) return;
      const sentType = (request.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
      const sent = sentBody(request, sentType);
      const answered = answeredBody(response, () => true);
      // Streams end with their readers.
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
