import type { Response, Test } from 'supertest';
import { answerFaults } from './answer-faults.js';
import { DocumentedAnswers, type Exchange } from './documented-answers.js';
import { RecordedExchanges } from './recorded-exchanges.js';

const JSON_TYPE = 'application/json';

const { RECORD_EXAMPLES: examples } = process.env;
/** Records the exchanges of this spec file, if recording is on. */
export const recorded = examples ? new RecordedExchanges(examples) : undefined;

/**
 * A plug-in of supertest that compares the answer with the OpenAPI document. A difference fails the spec file at its
 * end.
 */
export function checkAnswer(request: Test): void {
  request.on('response', (response: Response) => {
    const { method } = request;
    const { pathname, search } = new URL(request.url);
    const { status, type } = response;
    const url = pathname + search;
    // An answer of another type may have no text.
    const answered = type === JSON_TYPE ? response.text : '';
    const sent = sentJson(request);
    checkExchange({ method, url, status, type, answered, sent });
    recorded?.record({ method, url, ...sentText(request), status, type, answered: answeredText(response) });
  });
}

/** Compares one answer with the OpenAPI document. A difference fails the spec file at its end. */
export function checkExchange(exchange: Exchange): void {
  const answers = new DocumentedAnswers();
  answers.check(exchange);
  for (const fault of answers.faults) if (!answerFaults.includes(fault)) answerFaults.push(fault);
}

function sentJson(request: Test): string {
  const { data } = request.toJSON();
  const type = (request.get('Content-Type') as string | undefined) ?? JSON_TYPE;
  if (data === undefined || Buffer.isBuffer(data) || !type.startsWith(JSON_TYPE)) return '';
  return typeof data === 'string' ? data : JSON.stringify(data);
}

/** Returns the body of a request of any media type. The text of a compressed or multipart body is empty. */
function sentText(request: Test): { sentType: string; sent: string } {
  const { data } = request.toJSON() as { data?: unknown };
  // A header that is not set is undefined, though the types say otherwise.
  const headerOf = (name: string): string | undefined => request.get(name);
  const [sentType = ''] = (headerOf('Content-Type') ?? JSON_TYPE).split(';', 1);
  if (data === undefined || headerOf('Content-Encoding') !== undefined) return { sentType: '', sent: '' };
  if (typeof data === 'string') return { sentType, sent: data };
  if (Buffer.isBuffer(data)) return { sentType, sent: data.toString() };
  const isForm = sentType === 'application/x-www-form-urlencoded';
  return {
    sentType,
    sent: isForm ? new URLSearchParams(data as Record<string, string>).toString() : JSON.stringify(data),
  };
}

/** Returns the text of an answer of any media type. */
function answeredText({ text, body }: Partial<Response>): string {
  return Buffer.isBuffer(body) ? body.toString() : (text ?? '');
}
