import { textOf, writeList, writeObject, WrittenJson } from '../../../platform/http/written-json.js';
import type { IngestBatchResponse, IngestLineResult } from './ingest.dto.js';
import type { IngestAnswer } from './ingest-answer.js';

/**
 * A line with the id its event gets when it is admitted, or why it is none: as JSON text, whose order jsonb would lose.
 * Records from before that hold the value itself in `detail`.
 */
export type BatchLine = { readonly line: number } & (
  { readonly id: string } | { readonly refusal: string } | { readonly detail: unknown }
);

/** What a batch is answered from. */
export interface StoredBatchAnswer {
  readonly lines: readonly BatchLine[];
  /** Missing in records from before it was kept. */
  readonly mode?: string;
}

/**
 * @param admitted how many of its events were, the first ones
 * @param rest what the others are told
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
