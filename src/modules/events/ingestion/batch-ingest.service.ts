import { Inject, Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CONFIG, type Config } from '../../../config/index.js';
import type { ApiKeyScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { sha256 } from '../../../platform/crypto/index.js';
import { BodyTooLarge } from '../../../platform/http/domain-error.js';
import { compile, parseJsonBody, validateJson, ValidationError } from '../../../platform/http/validation/index.js';
import { LARGE_BYTES, LargeBodies } from '../../../platform/http/large-bodies.js';
import { newId } from '../../../platform/ids/index.js';
import type { Redaction } from '../../tenancy/projects/index.js';
import { IngestionRefusalsService, type RefusalReason } from '../../entitlement/quotas/index.js';
import { EventAdmissionService, type RequestIds } from './event-admission.service.js';
import { type EventLine, splitLines } from './event-lines.js';
import { AllEventsRefused } from './all-events-refused.js';
import { batchAnswer, type BatchLine, batchResults, type StoredBatchAnswer } from './batch-answer.js';
import { IngestRequest, type NormalizedEvent } from '../fields/index.js';
import type { IngestBatchResponse } from './ingest.dto.js';
import type { IngestAnswer } from './ingest-answer.js';
import { maskIssues } from './masked-issues.js';
import { normalizeEvent } from './normalized-event.js';
import { canonicalRequest } from './request-hash.js';
import { checkWrittenSize, MOST_GROWTH } from './written-size.js';

/** Bytes that are read before the event loop is yielded to other requests. */
const BYTES_A_TURN = 64 * 1024;
/** The cost of reading a line in addition to its bytes, in bytes. */
const BYTES_OF_A_LINE = 600;

/**
 * Ingests up to 1,000 events as lines. The batch counts as one request for quotas and idempotency. A line that is not a
 * valid event gets its own refusal, and an allowance that ends inside the batch refuses the remaining events. A batch
 * without an accepted event is refused as a whole, and no answer is stored for its idempotency key.
 */
@Injectable()
export class BatchIngestService {
  private readonly schema = compile(IngestRequest);

  constructor(
    private readonly admission: EventAdmissionService,
    private readonly refusals: IngestionRefusalsService,
    private readonly clock: Clock,
    private readonly large: LargeBodies,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async ingest(
    scope: ApiKeyScope,
    key: string | undefined,
    body: Buffer,
    { requestId, traceparent }: RequestIds,
  ): Promise<IngestAnswer<IngestBatchResponse>> {
    const { redaction } = await this.admission.policyOf(scope, requestId);
    const arrivedAt = this.clock.now();
    const events: NormalizedEvent[] = [];
    const lines: BatchLine[] = [];
    const mostBytes = MOST_GROWTH * this.config.http.maxBodyBytes;
    const canonical: string[] = [];
    let unbroken = 0;
    for (const { line, bytes } of splitLines(body)) {
      const slot = bytes.length < LARGE_BYTES ? undefined : await this.large.acquire(scope.projectId);
      try {
        const value = this.parse(bytes);
        if (slot !== undefined) await slot.rest();
        const request = this.check(value);
        if (slot !== undefined) await slot.rest();
        const event = normalizeEvent(request, newId(), arrivedAt, redaction.properties);
        checkWrittenSize(event.bytes, mostBytes);
        events.push(event);
        lines.push({ line, id: event.id });
        if (key !== undefined) canonical.push(`${line} ${canonicalRequest(request)}`);
      } catch (error) {
        lines.push({ line, refusal: JSON.stringify(refusalOf(error, redaction)) });
        if (key !== undefined) canonical.push(`${line} ${bytes.toString('base64')}`);
      } finally {
        slot?.end();
      }
      unbroken += bytes.length + BYTES_OF_A_LINE;
      if (unbroken < BYTES_A_TURN) continue;
      unbroken = 0;
      await nextTurn();
    }
    const { mode } = this.config.ingestion;
    const idempotency =
      key === undefined || (events.length === 0 && lines.length > 0)
        ? null
        : { key, hash: sha256(canonical.join('\n')), answer: { lines, mode } };
    const verdict = await this.admission.submitBatch({ sender: scope, events, idempotency, traceparent }, requestId);
    if (verdict.kind === 'replayed') {
      const { answer, admitted = Infinity, why } = verdict.stored;
      const first = answer as StoredBatchAnswer;
      return batchAnswer(batchResults(first.lines, admitted, this.sentenceOf(why)), first.mode ?? mode, true);
    }
    const isRefused = verdict.kind === 'refused';
    if (isRefused && lines.length === 0) throw verdict.error;
    const [admitted, why] = isRefused ? [0, verdict.reason] : [verdict.admitted, verdict.rest];
    const results = batchResults(lines, admitted, this.sentenceOf(why));
    if (results.accepted > 0 || lines.length === 0) return batchAnswer(results, mode);
    // The quota is the reason for all refusals only when each line has a valid event.
    throw new AllEventsRefused(results.members, isRefused && events.length === lines.length ? verdict.error : null);
  }

  /** Parses a line as the guard parses the body of a single request. @throws ValidationError, BodyTooLarge */
  private parse(bytes: EventLine['bytes']): unknown {
    if (bytes.length > this.config.http.maxBodyBytes) throw new BodyTooLarge();
    const parsed = parseJsonBody(bytes, { exactNumbers: true });
    if ('issues' in parsed) throw new ValidationError(parsed.issues);
    return parsed.value;
  }

  /** @throws ValidationError */
  private check(value: unknown): IngestRequest {
    const read = validateJson(this.schema, value, 'body', { isNullLeftOut: true });
    if ('issues' in read) throw new ValidationError(read.issues);
    return read.value as IngestRequest;
  }

  /** Returns the detail of the events that follow the admitted ones. */
  private sentenceOf(rest: RefusalReason | null | undefined): unknown {
    return this.refusals.sentenceOf(rest ?? 'blocked');
  }
}

function refusalOf(error: unknown, redaction: Redaction): unknown {
  if (error instanceof ValidationError) return maskIssues(error.issues, redaction);
  if (error instanceof BodyTooLarge) return error.detail;
  throw error;
}
