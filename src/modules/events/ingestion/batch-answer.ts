import { textOf, writeList, writeObject, WrittenJson } from '../../../platform/http/written-json.js';
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

/**
 * Returns the answer to a batch.
 * @param admitted how many events were admitted, from the first on
 * @param rest the detail for the remaining events
 */
export function batchAnswer(
  { lines, mode }: Required<StoredBatchAnswer>,
  admitted: number,
  rest: unknown,
  duplicate?: true,
): IngestAnswer<IngestBatchResponse> {
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
  return {
    mode,
    answer: writeObject<IngestBatchResponse>({ accepted, rejected, results: writeList(results), duplicate }),
  };
}
