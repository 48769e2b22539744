import { Inject, Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CONFIG, type Config } from '../../config/index.js';
import type { ApiKeyScope } from '../../platform/access/index.js';
import { Clock } from '../../platform/clock/index.js';
import { sha256 } from '../../platform/crypto/index.js';
import { BodyTooLarge } from '../../platform/http/domain-error.js';
import { compile, parseJsonBody, validateJson, ValidationError } from '../../platform/http/fields/index.js';
import { newId } from '../../platform/ids/index.js';
import { IngestionRefusals, type RefusalReason } from '../quotas/index.js';
import { EventAdmission } from './event-admission.js';
import { type EventLine, splitLines } from './event-lines.js';
import { type IngestBatchResponse, type IngestLineResult, IngestRequest } from './ingest.dto.js';
import { type NormalizedEvent, normalizeEvent } from './normalized-event.js';
import { canonicalRequest } from './request-hash.js';

/** What a batch is answered from: each line with the id it gets when it is admitted, or why it can not be. */
interface BatchAnswer {
  readonly lines: readonly ({ readonly line: number } & ({ readonly id: string } | { readonly detail: unknown }))[];
}

/** Lines are read for a while, then others have a turn. */
const LINES_A_TURN = 100;

/**
 * Takes up to 1,000 events as lines, one request to quotas and idempotency: a line that is no event is told so, and an
 * allowance that ends inside the batch refuses the rest of it (DECISIONS 5).
 */
@Injectable()
export class BatchIngestService {
  private readonly schema = compile(IngestRequest);

  constructor(
    private readonly admission: EventAdmission,
    private readonly refusals: IngestionRefusals,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async ingest(scope: ApiKeyScope, key: string | undefined, body: Buffer): Promise<IngestBatchResponse> {
    const { redact } = await this.admission.policyOf(scope);
    const arrivedAt = this.clock.now();
    const events: NormalizedEvent[] = [];
    const lines: BatchAnswer['lines'][number][] = [];
    const canonical: string[] = [];
    for (const { line, bytes } of splitLines(body)) {
      try {
        const request = this.read(bytes);
        const event = normalizeEvent(request, newId(), arrivedAt, redact);
        events.push(event);
        lines.push({ line, id: event.id });
        if (key !== undefined) canonical.push(`${line} ${canonicalRequest(request)}`);
      } catch (error) {
        lines.push({ line, detail: refusalOf(error) });
        if (key !== undefined) canonical.push(`${line} ${bytes.toString('base64')}`);
      }
      if (lines.length % LINES_A_TURN === 0) await nextTurn();
    }
    const answer: BatchAnswer = { lines };
    const idempotency = key === undefined ? null : { key, hash: sha256(canonical.join('\n')), answer };
    const admitted = await this.admission.submit({ sender: scope, events, idempotency });
    if (admitted.kind === 'written') return this.answer(answer, admitted.admitted, admitted.rest);
    const { stored } = admitted;
    const first = this.answer(stored.answer as BatchAnswer, stored.admitted ?? Infinity, stored.why ?? null);
    return { ...first, duplicate: true };
  }

  /** As the guard reads a request of its own. @throws ValidationError, BodyTooLarge */
  private read(bytes: EventLine['bytes']): IngestRequest {
    if (bytes.length > this.config.http.maxBodyBytes) throw new BodyTooLarge();
    const parsed = parseJsonBody(bytes);
    if ('issues' in parsed) throw new ValidationError(parsed.issues);
    const read = validateJson(this.schema, parsed.value, 'body');
    if ('issues' in read) throw new ValidationError(read.issues);
    return read.value as IngestRequest;
  }

  private answer({ lines }: BatchAnswer, admitted: number, rest: RefusalReason | null): IngestBatchResponse {
    let accepted = 0;
    const results = lines.map((read): IngestLineResult => {
      const { line } = read;
      if ('detail' in read) return { line, accepted: false, detail: read.detail };
      if (accepted >= admitted) return { line, accepted: false, detail: this.refusals.sentenceOf(rest ?? 'blocked') };
      accepted += 1;
      return { line, accepted: true, ingested_event_id: read.id };
    });
    return { accepted, rejected: results.length - accepted, results };
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof ValidationError) return error.issues;
  if (error instanceof BodyTooLarge) return error.detail;
  throw error;
}
