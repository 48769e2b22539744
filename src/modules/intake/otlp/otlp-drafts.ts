import type { Redaction } from '../../tenancy/projects/index.js';
import type { DraftOrRefusal } from '../core/index.js';
import { MAX_RECORDS, TooManyRecords } from './limits.js';
import { logDraft } from './mapping/log-draft.js';
import { RepeatedOrigins } from './mapping/shared-members.js';
import { spanDrafts } from './mapping/span-drafts.js';
import { maskedLogs, maskedSpans } from './masked-records.js';
import type { LogRecord, Of, Span } from './records.js';

/** Maps log records to events while they are consumed. @throws TooManyRecords while they are consumed */
export function* logDrafts(records: Iterable<Of<LogRecord>>, redaction: Redaction): Generator<DraftOrRefusal, void> {
  const origins = new RepeatedOrigins();
  let count = 0;
  for (const record of maskedLogs(records, redaction)) {
    count += 1;
    if (count > MAX_RECORDS) throw new TooManyRecords();
    yield { draft: logDraft(record, origins.next(record.origin)) };
  }
}

/**
 * Maps spans to events while they are consumed. Spans that become no event also count towards `MAX_RECORDS`.
 * @throws TooManyRecords while they are consumed
 */
export function* traceDrafts(
  spans: Iterable<Of<Span>>,
  areAllWanted: boolean,
  redaction: Redaction,
): Generator<DraftOrRefusal, void> {
  const origins = new RepeatedOrigins();
  let count = 0;
  for (const span of maskedSpans(spans, redaction)) {
    count += 1 + span.item.exceptions.length;
    if (count > MAX_RECORDS) throw new TooManyRecords();
    for (const draft of spanDrafts(span, areAllWanted, () => origins.next(span.origin))) yield { draft };
  }
}
