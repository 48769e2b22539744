import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { writeObject } from '../../../../platform/http/written-json.js';
import type { FeedCursor, FeedRead, FeedSource } from '../../../events/streams/index.js';
import { alertEventJson } from './alert-events.dto.js';
import { AlertReadsRepository } from './alert-reads.repository.js';

/** A new stream begins with at most this many existing alert events. */
const EXISTING_ALERTS = 1_000;
/** The maximum size of one read, in bytes. A single alert event may be larger. */
const READ_BYTES = 512 * 1024;

/** The description of the stream of alert events in the API document. */
export const ALERT_STREAM_RULES = [
  '`{"type": "alert_event", "alert_event": <alert event>}` with an alert event as `GET /v1/alerts/events` lists it. Messages are `data: <JSON>` and a blank line, without SSE ids or names.',
  'An alert event comes when it is raised and again, as it is then, whenever it has changed: another occurrence, another status or assignee. Comments change nothing. What changes several times within a second may come once. A new connection begins with the existing ones that changed last, 1,000 at most, and goes on in the order of the changes. There is no resume: the newest message of an id holds.',
  'When there is nothing new, about once a second, `{"type": "heartbeat", "timestamp": <Unix ms>}` comes, with a `detail` while alert events cannot be read.',
  'The stream ends when the session or the membership ends, when the project is deleted, when the client reads nothing for 30 seconds or, of more than that, less than 16 KiB a second, and when the service stops. A person may have 250 streams open and a project 1,000, in each process, those of events and logs included; another is refused with 429 `Too many open streams`.',
].join('\n\n');

/** Reads alert events for their stream, in the order of their changes. */
@Injectable()
export class AlertFeed implements FeedSource {
  readonly name = 'alert events';

  constructor(private readonly reads: AlertReadsRepository) {}

  settled(projectId: ProjectId): Promise<Date> {
    return this.reads.settledUntil({ projectId });
  }

  start(projectId: ProjectId, until: Date): Promise<FeedCursor | null> {
    return this.reads.cursorBefore({ projectId }, until, EXISTING_ALERTS);
  }

  async read(projectId: ProjectId, after: FeedCursor | null, until: Date, limit: number): Promise<FeedRead> {
    const { items: shown, found } = await this.reads.changedAfter({ projectId }, after, until, limit, READ_BYTES);
    const items = shown.map((one) => ({
      cursor: { timestamp: one.alert.changedAt, id: one.alert.id },
      message: writeObject({ type: 'alert_event', alert_event: alertEventJson(one) }),
    }));
    return { items, hasMore: found === limit || items.length < found };
  }
}
