import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { MembershipReader, type ProjectMemberScope, type ProjectScope } from '../../platform/access/index.js';
import { Clock } from '../../platform/clock/index.js';
import type { EventFilter, MatchingHour, TimeWindow } from '../event-totals/index.js';
import type { Place } from '../events/index.js';
import { SessionLiveness } from '../sessions/index.js';
import { filterOf, windowOf } from './asked-window.js';
import type { ExportRequest } from './explorer.dto.js';
import { TooManyExports } from './explorer.errors.js';
import { ExplorerRepository, spanOf } from './explorer.repository.js';
import { ClientGone, ExportChannel, ExportPatience } from './export-channel.js';
import { EXPORT_WRITERS, type ExportWriter } from './export-formats.js';

/** Of one project at a time, in one process. */
const MOST_EXPORTS = 4;
/** Of one read: few enough that the database weighs them quickly where all are large. */
const MOST_EVENTS = 200;
/** Of their properties in one read, in bytes: events may be small or a megabyte each. One event may be larger. */
const MOST_BYTES = 1_000_000;
/** Of the hours that are gone through together. */
const EVENTS_OF_A_SPAN = 1_000;

type ReadEvents = Awaited<ReturnType<ExplorerRepository['before']>>;

/** Writes the filtered events to the client as fast as it reads, holding no more than one read of them. */
@Injectable()
export class EventExport {
  private readonly logger = new Logger('exports');
  private readonly running = new Map<string, number>();

  constructor(
    private readonly explorer: ExplorerRepository,
    private readonly members: MembershipReader,
    private readonly sessions: SessionLiveness,
    private readonly patience: ExportPatience,
    private readonly clock: Clock,
  ) {}

  /** Refusals come as usual; a failure after the first byte cuts the connection, so that no export looks whole that is not. */
  async write(scope: ProjectMemberScope, request: ExportRequest, response: Response): Promise<void> {
    const now = this.clock.now();
    const window = windowOf(request, now, 'body');
    const writer = EXPORT_WRITERS[request.format];
    const release = this.enter(scope.projectId);
    try {
      const chunks = this.chunks(scope, window, filterOf(request), writer);
      const first = await chunks.next();
      const day = now.toISOString().slice(0, 10);
      response.writeHead(200, {
        'Content-Type': writer.mediaType,
        'Content-Disposition': `attachment; filename="events-${scope.projectId}-${day}.${request.format}"`,
      });
      const channel = new ExportChannel(response, this.patience.stalledMs);
      await channel.write(writer.head + (first.done === true ? '' : first.value));
      let askedAt = performance.now();
      for await (const chunk of chunks) {
        if (performance.now() - askedAt >= this.patience.askAgainMs) {
          if (!(await this.mayRead(scope))) throw new ClientGone();
          askedAt = performance.now();
        }
        await channel.write(chunk);
      }
      await channel.end();
    } catch (error) {
      if (!response.headersSent) throw error;
      // Somebody who left or was let go is no fault.
      if (!(error instanceof ClientGone)) this.logger.error(error);
      response.destroy();
    } finally {
      release();
    }
  }

  private async *chunks(
    scope: ProjectScope,
    window: TimeWindow,
    filter: EventFilter,
    writer: ExportWriter,
  ): AsyncGenerator<string, void> {
    const most = { events: MOST_EVENTS, bytes: MOST_BYTES };
    for (const span of spansOf(await this.explorer.hours(scope, window, filter), window)) {
      let last: Place | null = null;
      for (;;) {
        const read: ReadEvents = await this.explorer.before(scope, span, filter, last, most);
        const text = read.events.map((stored) => writer.line(stored)).join('');
        if (text !== '') yield text;
        if (read.areAll) break;
        last = read.events.at(-1) ?? null;
      }
    }
  }

  private async mayRead({ userId, sessionId, projectId }: ProjectMemberScope): Promise<boolean> {
    if (!(await this.sessions.isAlive(sessionId, userId))) return false;
    const membership = await this.members.ofProject(userId, projectId);
    return membership !== null && membership.role !== null;
  }

  private enter(projectId: string): () => void {
    const count = this.running.get(projectId) ?? 0;
    if (count >= MOST_EXPORTS) throw new TooManyExports();
    this.running.set(projectId, count + 1);
    return () => {
      const left = (this.running.get(projectId) ?? 1) - 1;
      if (left > 0) this.running.set(projectId, left);
      else this.running.delete(projectId);
    };
  }
}

/** Hours that lie together, newest first, in spans of some reads where there are as many events. */
function* spansOf(hours: readonly MatchingHour[], window: TimeWindow): Generator<TimeWindow> {
  let gathered: MatchingHour[] = [];
  let events = 0;
  for (const hour of hours) {
    gathered.push(hour);
    events += hour.events;
    if (events < EVENTS_OF_A_SPAN) continue;
    yield spanOf(gathered, window);
    gathered = [];
    events = 0;
  }
  if (gathered.length > 0) yield spanOf(gathered, window);
}
