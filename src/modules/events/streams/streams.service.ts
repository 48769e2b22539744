import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/index.js';
import type { ProjectId, ProjectMemberScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { FairSemaphore } from '../../../platform/concurrency/index.js';
import { beginEventStream, EventStream } from '../../../platform/http/event-stream.js';
import { Metrics } from '../../../platform/telemetry/index.js';
import { Feed } from './feed.js';
import type { FeedSource } from './feed-source.js';
import { OpenStreamRegistry } from './open-stream-registry.js';
import { asError } from '../../../platform/errors/index.js';

/**
 * Maximum number of feed reads in this process at a time. Each occupies one connection for a short time. A project has
 * one read at a time, so that its many streams of large events do not delay those of other projects.
 */
const READS_AT_ONCE = 4;

/** Opens streams of a project. Streams of one source share one feed. */
@Injectable()
export class EventStreamsService {
  private readonly logger = new Logger('streams');
  private readonly slots = new FairSemaphore({ parallel: READS_AT_ONCE, maxPerKey: 1, maxQueued: Infinity });
  private readonly feeds = new Map<string, Feed>();

  constructor(
    private readonly streams: OpenStreamRegistry,
    private readonly clock: Clock,
    metrics: Metrics,
    @Inject(CONFIG) { process }: Config,
  ) {
    if (!process.runsApi) return;
    metrics.gauge('oes_event_streams_open', 'Event streams that clients read', [], (gauge) => gauge.set(streams.count));
  }

  /** Sends the feed as the response until either side closes it. A HEAD request is answered with the headers only. */
  open(scope: ProjectMemberScope, source: FeedSource, request: Request, response: Response): void {
    this.streams.admit(scope);
    if (request.method === 'HEAD') {
      beginEventStream(response);
      response.end();
      return;
    }
    const stream = new EventStream(response);
    this.streams.add(scope, stream);
    const key = `${source.name} ${scope.projectId}`;
    const feed = this.feeds.get(key) ?? this.feedOf(scope.projectId, source);
    this.feeds.set(key, feed);
    feed.join(stream);
    stream.whenClosed(() => {
      if (feed.readers === 0 && this.feeds.get(key) === feed) this.feeds.delete(key);
    });
  }

  private feedOf(projectId: ProjectId, source: FeedSource): Feed {
    return new Feed({
      projectId,
      source,
      slots: this.slots,
      nowMs: () => this.clock.now().getTime(),
      onFailure: (error) => this.logger.error(asError(error), `${source.name} stream`),
    });
  }
}
