import { type Members, textOf, writeList, writeObject, WrittenJson } from '../../../platform/http/written-json.js';
import type { IngestBatchResponse, IngestLineResult } from './ingest.dto.js';
import type { IngestAnswer } from './ingest-answer.js';

/**
 * A line with the id that its event gets when it is admitted, or with the refusal as JSON text, because jsonb would
 * lose the order of its members. Older records hold the refusal as a value in `detail`.
 */
export type BatchLine = { readonly line: number } & (
  { readonly id: string } | { readonly refusal: string } | { readonly detail: unknown }
);

/** The stored data from which a batch is answered. */
export interface StoredBatchAnswer {
  readonly lines: readonly BatchLine[];
  /** Missing in records older than this member. */
  readonly mode?: string;
}

/** The members of an answer to a batch, and how many of its events were accepted. */
export interface BatchResults {
  readonly accepted: number;
  readonly members: Members<Omit<IngestBatchResponse, 'duplicate'>>;
}

/**
 * Returns the result of each line.
 * @param admitted how many events were admitted, from the first on
 * @param rest the detail for the remaining events
 */
export function batchResults(lines: readonly BatchLine[], admitted: number, rest: unknown): BatchResults {
  let accepted = 0;
  const results = lines.map((read) => {
    const { line } = read;
    if ('id' in read && accepted < admitted) {
      accepted += 1;
      return writeObject<IngestLineResult>({ line, accepted: true, ingested_event_id: read.id });
    }
    const detail = 'id' in read ? textOf(rest) : 'refusal' in read ? read.refusal : textOf(read.detail);
    return writeObject<IngestLineResult>({ line, accepted: false, detail: new WrittenJson(detail) });
  });
  const rejected = results.length - accepted;
  return { accepted, members: { accepted, rejected, results: writeList(results) } };
}

export function batchAnswer(
  { members }: BatchResults,
  mode: string,
  duplicate?: true,
): IngestAnswer<IngestBatchResponse> {
  return { mode, answer: writeObject<IngestBatchResponse>({ ...members, duplicate }) };
}
