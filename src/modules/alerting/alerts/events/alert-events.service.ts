import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { writeList, writeObject, type WrittenJson } from '../../../../platform/http/written-json.js';
import { PAGE_BYTES, ReadBudget } from '../../../events/reads/index.js';
import { AlertEventNotFound } from '../alerts.errors.js';
import { windowOf } from './time-range.js';
import {
  alertEventJson,
  alertEventResponse,
  type AlertEventResponse,
  type AlertEventsQuery,
  type AlertEventsResponse,
  type TimelineEntryResponse,
  timelineEntryResponse,
} from './alert-events.dto.js';
import { AlertReadsRepository, bytesOf } from './alert-reads.repository.js';
import { TimelineRepository } from './timeline.repository.js';

/** The maximum number of timeline entries in a response. */
const MOST_ENTRIES = 1_000;

@Injectable()
export class AlertEventsService {
  constructor(
    private readonly reads: AlertReadsRepository,
    private readonly budget: ReadBudget,
    private readonly timelines: TimelineRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws TooManyLargeReads */
  async list(scope: ProjectScope, query: AlertEventsQuery): Promise<WrittenJson<AlertEventsResponse>> {
    const { status, severity, fingerprint, limit, offset } = query;
    const { alert_rule_id: alertRuleId, assignee_id: assigneeId, event_id: eventId } = query;
    const filter = { status, severity, fingerprint, alertRuleId, assigneeId, eventId, query: query.query };
    const window = windowOf(query, this.clock.now());
    const found = await this.reads.list(scope, { ...window, ...filter }, { limit, offset }, PAGE_BYTES);
    return this.budget.answer(scope.projectId, bytesOf(found.items), () =>
      Promise.resolve(
        writeObject<AlertEventsResponse>({
          items: writeList(found.items.map(alertEventJson)),
          total: found.total,
          limit: found.items.length < found.found ? found.items.length : limit,
          offset,
        }),
      ),
    );
  }

  async get(scope: ProjectScope, id: string): Promise<AlertEventResponse> {
    const found = await this.reads.find(scope, id);
    if (found === null) throw new AlertEventNotFound();
    return alertEventResponse(found);
  }

  /** @throws TooManyLargeReads */
  async timeline(scope: ProjectScope, id: string): Promise<WrittenJson<TimelineEntryResponse[]>> {
    const { entries, bytes } = await this.timelines.list(scope, id, MOST_ENTRIES, PAGE_BYTES);
    return this.budget.answer(scope.projectId, bytes, () =>
      Promise.resolve(writeList(entries.map((entry) => writeObject(timelineEntryResponse(entry))))),
    );
  }
}
