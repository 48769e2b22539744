import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { newId } from '../../../platform/ids/index.js';
import { EventAdmissionService } from './event-admission.service.js';
import type { IngestRequest, StoredEvent } from '../fields/index.js';
import { normalizeEvent } from './normalized-event.js';
import { checkWrittenSize, MOST_GROWTH } from './written-size.js';
import type { Sender } from '../event-store/index.js';

/** Records an event that no key brought, the way of every other event: same refusals, counts and storage. */
@Injectable()
export class EventRecorder {
  constructor(
    private readonly admission: EventAdmissionService,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws DomainError whatever ingestion refuses an event with */
  async record(scope: Omit<Sender, 'apiKeyId'>, request: IngestRequest, bodyTaken?: () => void): Promise<StoredEvent> {
    const sender = { ...scope, apiKeyId: null };
    const { redaction } = await this.admission.policyOf(sender, null);
    const now = this.clock.now();
    const event = normalizeEvent(request, newId(), now, redaction.properties);
    checkWrittenSize(event.bytes, MOST_GROWTH * this.config.http.maxBodyBytes);
    // As ingestion does: whoever called holds the request until it is answered.
    request.payload = request.properties = undefined;
    bodyTaken?.();
    const admitted = await this.admission.submit({ sender, events: [event], idempotency: null }, null);
    return {
      ...event,
      project_id: sender.projectId,
      source_id: sender.sourceId,
      api_key_id: null,
      created_at: admitted.kind === 'written' ? admitted.acceptedAt : now,
    };
  }
}
