import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import type { ApiKeyScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { newId } from '../../../platform/ids/index.js';
import { EventAdmissionService, type RequestIds } from './event-admission.service.js';
import type { IngestRequest } from '../fields/index.js';
import type { IngestResponse } from './ingest.dto.js';
import { type IngestAnswer, ingestAnswer, storedAnswer, type StoredIngestAnswer } from './ingest-answer.js';
import { normalizeEvent } from './normalized-event.js';
import { requestHash } from './request-hash.js';
import { checkWrittenSize, MOST_GROWTH } from './written-size.js';

/**
 * Ingests one event. The checks run in this order: key, body, idempotent replay, billing, daily limit, write. The guard
 * has already checked the key and the body.
 */
@Injectable()
export class IngestService {
  constructor(
    private readonly admission: EventAdmissionService,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async ingest(
    scope: ApiKeyScope,
    key: string | undefined,
    request: IngestRequest,
    bodyTaken: () => void,
    { requestId, traceparent }: RequestIds,
  ): Promise<IngestAnswer<IngestResponse>> {
    const { ingestion, http } = this.config;
    const policy = this.admission.policyOf(scope, requestId);
    const { redaction } = policy instanceof Promise ? await policy : policy;
    const event = normalizeEvent(request, newId(), this.clock.now(), redaction.properties);
    checkWrittenSize(event.bytes, MOST_GROWTH * http.maxBodyBytes);
    const answer = storedAnswer(scope, event, ingestion.mode);
    const idempotency = key === undefined ? null : { key, hash: requestHash(request), answer };
    // The caller keeps the request until it is answered. So the parsed properties are released here: they may take far
    // more memory than their text.
    request.payload = request.properties = undefined;
    bodyTaken();
    const admitted = await this.admission.submit(
      { sender: scope, events: [event], idempotency, traceparent },
      requestId,
    );
    if (admitted.kind === 'written') return ingestAnswer(answer, false);
    return ingestAnswer(admitted.stored.answer as StoredIngestAnswer, true);
  }
}
