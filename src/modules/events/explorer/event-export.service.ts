import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { MembershipReader, type ProjectMemberScope, type ProjectScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { ClientGone, PacedResponse } from '../../../platform/http/paced-response.js';
import { AskedWindows, filterOf } from '../asked-windows/index.js';
import {
  type EventFilter,
  type EventPlace,
  EventRowsReader,
  ExploredPlacesReader,
  type MatchingHour,
  type Place,
  spanOf,
  type TimeWindow,
} from '../event-store/index.js';
import { ReadBudget, RECORDS } from '../reads/index.js';
import { SessionLivenessCache } from '../../identity/sessions/index.js';
import type { ExportRequest } from './explorer.dto.js';
import { ExportLimits } from './export-limits.js';
import { domainError } from '../../../platform/http/domain-error.js';
import { EXPORT_WRITERS, type ExportWriter } from './export-formats.js';

/** Exports of one project that run at a time in one process. One more is refused with 429. */
const MOST_EXPORTS = 4;
/**
 * Exports of all projects that run at a time in one process. Each holds one read in memory until its client took it.
 */
const MOST_EXPORTS_AT_ALL = 32;
/** Locators of events that one query returns. */
const MOST_PLACES = 500;
/**
 * Bytes of events that one read returns, since events may be small or a megabyte each. One larger event is still read.
 */
const MOST_BYTES = 1024 * 1024;
/** Neighbouring hours are read together until they hold this many events. */
const EVENTS_OF_A_SPAN = 1_000;

export class TooManyExports extends domainError(429, 'Too many exports at once') {
  override readonly headers = { 'Retry-After': '10' };
}

class EventsEnded extends Error {}

/**
 * Streams the filtered events as fast as the client reads them. An export holds at most one read of events in memory.
 */
@Injectable()
export class EventExportService {
  private readonly logger = new Logger('exports');
  private readonly running = new Map<string, number>();
  private runningAtAll = 0;

  constructor(
    private readonly windows: AskedWindows,
    private readonly explorer: ExploredPlacesReader,
    private readonly events: EventRowsReader,
    private readonly budget: ReadBudget,
    private readonly members: MembershipReader,
    private readonly sessions: SessionLivenessCache,
    private readonly limits: ExportLimits,
    private readonly clock: Clock,
  ) {}

  /**
   * Writes the export to the response. Errors before the first byte are answered as usual. An error after the first
   * byte cuts the connection, so that an incomplete export never looks complete.
   */
  async write(scope: ProjectMemberScope, request: ExportRequest, response: Response): Promise<void> {
    const now = this.clock.now();
    const window = await this.windows.of(request, now, 'body');
    const writer = EXPORT_WRITERS[request.format];
    const release = this.enter(scope.projectId);
    const chunks = this.chunks(scope, window, filterOf(request), writer);
    try {
      const first = await chunks.next();
      const day = now.toISOString().slice(0, 10);
      response.writeHead(200, {
        'Content-Type': writer.mediaType,
        'Content-Disposition': `attachment; filename="events-${scope.projectId}-${day}.${request.format}"`,
      });
      const channel = new PacedResponse(response, this.limits);
      await channel.write(Buffer.from(writer.head));
      if (first.done !== true) await channel.write(first.value);
      let askedAt = performance.now();
      for await (const chunk of chunks) {
        if (performance.now() - askedAt >= this.limits.askAgainMs) {
          if (!(await this.mayRead(scope))) throw new ClientGone();
          askedAt = performance.now();
        }
        await channel.write(chunk);
      }
      await channel.end();
    } catch (error) {
      if (!response.headersSent) throw error;
      // A client that left, or that was disconnected, is not an error.
      if (!(error instanceof ClientGone)) this.logger.error(error);
      response.destroy();
    } finally {
      // Also releases the memory budget of a piece that was not sent.
      await chunks.return();
      release();
    }
  }

  /** Yields the export as buffers, which lie outside the JavaScript heap while a slow client reads them. */
  private async *chunks(
    scope: ProjectScope,
    window: TimeWindow,
    filter: EventFilter,
    writer: ExportWriter,
  ): AsyncGenerator<Buffer, void> {
    for (const span of spansOf(await this.explorer.hours(scope, window, filter), window)) {
      let last: Place | null = null;
      for (;;) {
        const places: EventPlace[] = await this.explorer.before(scope, span, filter, last, MOST_PLACES);
        yield* this.reads(scope, places, writer);
        if (places.length < MOST_PLACES) break;
        last = places.at(-1) ?? null;
      }
    }
    // An export may take hours and reads the oldest events last, so retention may have removed some of them.
    if (!(await this.windows.isKept(window))) throw new EventsEnded('events ended while they were exported');
  }

  private async *reads(
    scope: ProjectScope,
    places: readonly EventPlace[],
    writer: ExportWriter,
  ): AsyncGenerator<Buffer, void> {
    for (let left = places; left.length > 0;) {
      const fitting = await this.events.fit(scope, left, MOST_BYTES);
      left = left.slice(fitting.places.length);
      const size = { bytes: fitting.bytes, usual: MOST_BYTES };
      const { piece, sent } = await this.budget.exportPiece(scope.projectId, size, async () => {
        const rows = await this.events.read(scope, fitting.places, RECORDS);
        return Buffer.from(rows.map((stored) => writer.line(stored)).join(''));
      });
      try {
        if (piece.length > 0) yield piece;
      } finally {
        sent();
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
    if (count >= MOST_EXPORTS || this.runningAtAll >= MOST_EXPORTS_AT_ALL) throw new TooManyExports();
    this.runningAtAll += 1;
    this.running.set(projectId, count + 1);
    return () => {
      this.runningAtAll -= 1;
      const left = (this.running.get(projectId) ?? 1) - 1;
      if (left > 0) this.running.set(projectId, left);
      else this.running.delete(projectId);
    };
  }
}

/** Yields spans of neighbouring hours, newest first. Each span but the last has at least 1,000 events. */
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
