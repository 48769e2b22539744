import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { MembershipReader, type ProjectMemberScope, type ProjectScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { ClientGone, PacedResponse } from '../../../platform/http/paced-response.js';
import { TimeRangeResolver, conditionOf, filterOf } from '../time-ranges/index.js';
import {
  type EventFilter,
  type EventLocator,
  EventRowsReader,
  ExploredListReader,
  filterInBoth,
  MatchesReader,
  type MatchingHour,
  type Locator,
  spanOf,
  type TimeWindow,
} from '../event-store/index.js';
import type { EventCondition } from '../eql-language/index.js';
import { QueryTooLong, TooManyQueries } from '../long-reads/index.js';
import { ReadBudget, RECORDS } from '../reads/index.js';
import { SessionLivenessCache } from '../../identity/sessions/index.js';
import type { ExportRequest } from './explorer.dto.js';
import { ExportLimits } from './export-limits.js';
import { domainError } from '../../../platform/http/domain-error.js';
import { EXPORT_WRITERS, type ExportWriter } from './export-formats.js';

/** Maximum number of exports of one project at a time, in one process. One more is refused with 429. */
const MOST_EXPORTS = 4;
/**
 * Maximum number of exports of all projects at a time, in one process. Each holds one read in memory until its client
 * has received it.
 */
const MOST_EXPORTS_AT_ALL = 32;
/** Locators of events that one query returns. */
const MAX_PAGE_LOCATORS = 500;
/**
 * Bytes of events that one read returns, since events may be small or a megabyte each. One larger event is still read.
 */
const MOST_BYTES = 1024 * 1024;
/** Neighbouring hours are read together until they hold this many events. */
const EVENTS_OF_A_SPAN = 1_000;
/**
 * The same for exports with a condition, which read every event of the hours and may match few. A single hour may have
 * more events.
 */
const MIN_EVENTS_OF_A_CONDITIONAL_SPAN = 50_000;
/** If the read of a longer span times out, the two halves of the span are read separately. */
const MIN_DIVIDED_MS = 60_000;
/** Maximum time that an export that has begun waits for the slot of a read. After that, it fails. */
const SLOT_TIMEOUT_MS = 300_000;

export class TooManyExports extends domainError(429, 'Too many exports at once') {
  override readonly headers = { 'Retry-After': '10' };
}

const NOTHING = Buffer.alloc(0);

interface ExportQuery {
  readonly filter: EventFilter;
  readonly where: EventCondition | null;
  readonly gone: AbortSignal;
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
    private readonly timeRanges: TimeRangeResolver,
    private readonly explorer: ExploredListReader,
    private readonly matches: MatchesReader,
    private readonly events: EventRowsReader,
    private readonly budget: ReadBudget,
    private readonly members: MembershipReader,
    private readonly sessions: SessionLivenessCache,
    private readonly limits: ExportLimits,
    private readonly clock: Clock,
  ) {}

  /**
   * Writes the export to the response. An error before the first byte is returned as an error response. An error after
   * the first byte closes the connection, so that an incomplete export never looks complete.
   * @param gone aborts when the client has disconnected
   */
  async write(scope: ProjectMemberScope, request: ExportRequest, response: Response, gone: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const window = await this.timeRanges.of(request, now, 'body');
    const where = conditionOf(request.where, 'body');
    const writer = EXPORT_WRITERS[request.format];
    const release = this.enter(scope.projectId);
    const chunks = this.chunks(scope, window, { filter: filterOf(request), where, gone }, writer);
    try {
      const first = await chunks.next();
      const day = now.toISOString().slice(0, 10);
      response.writeHead(200, {
        'Content-Type': writer.mediaType,
        'Content-Disposition': `attachment; filename="events-${scope.projectId}-${day}.${request.format}"`,
      });
      // With a condition, it may take long to find the first events.
      response.flushHeaders();
      const channel = new PacedResponse(response, this.limits);
      await channel.write(Buffer.from(writer.head));
      if (first.done !== true) await channel.write(first.value);
      let askedAt = performance.now();
      let sentAt = askedAt;
      let next: ReturnType<typeof chunks.next> | undefined;
      for (;;) {
        next ??= chunks.next();
        let chunk: Buffer = Buffer.from(writer.emptyLine);
        if (where === null || (await settlesIn(next, sentAt + this.limits.quietMs - performance.now()))) {
          const { value, done } = await next;
          if (done === true) break;
          chunk = value;
          next = undefined;
        }
        if (performance.now() - askedAt >= this.limits.askAgainMs) {
          if (!(await this.mayRead(scope))) throw new ClientGone();
          askedAt = performance.now();
        }
        await channel.write(chunk);
        if (chunk.length > 0) sentAt = performance.now();
      }
      await channel.end();
    } catch (error) {
      if (!response.headersSent) throw error;
      // A client that left or was disconnected is not an error.
      if (!(error instanceof ClientGone) && !gone.aborted) this.logger.error(error);
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
    { filter, where, gone }: ExportQuery,
    writer: ExportWriter,
  ): AsyncGenerator<Buffer, void> {
    let isFirst = true;
    const hours = await this.explorer.hours(scope, window, filter);
    for (const span of spansOf(hours, window, where === null ? EVENTS_OF_A_SPAN : MIN_EVENTS_OF_A_CONDITIONAL_SPAN)) {
      if (where !== null) {
        yield* this.matching(scope, span, { filter, where, gone }, writer, isFirst);
        isFirst = false;
        continue;
      }
      let last: Locator | null = null;
      for (;;) {
        const locators: EventLocator[] = await this.explorer.before(scope, span, filter, last, MAX_PAGE_LOCATORS);
        yield* this.reads(scope, locators, writer);
        if (locators.length < MAX_PAGE_LOCATORS) break;
        last = locators.at(-1) ?? null;
      }
    }
    // An export may take hours and reads the oldest events last, so retention may have removed some of them.
    if (!(await this.timeRanges.isKept(window))) throw new EventsEnded('events ended while they were exported');
  }

  /**
   * Yields the matching events of a span, and an empty buffer after each read, so that the caller can check its limits.
   * @param isFirst whether nothing was sent yet. If a read then gets no slot, the export is refused.
   */
  private async *matching(
    scope: ProjectScope,
    span: TimeWindow,
    { filter, where, gone }: ExportQuery & { readonly where: EventCondition },
    writer: ExportWriter,
    isFirst: boolean,
  ): AsyncGenerator<Buffer, void> {
    const conditions = filterInBoth(filter);
    const left = [span];
    let before: Locator | null = null;
    let waitsUntil = performance.now() + SLOT_TIMEOUT_MS;
    let isBegun = !isFirst;
    for (let part = left.pop(); part !== undefined; part = left.pop()) {
      let locators: EventLocator[];
      try {
        locators = await this.matches.newest(
          scope,
          { window: part, where, conditions, before, limit: MAX_PAGE_LOCATORS, isBackground: true },
          gone,
        );
      } catch (error) {
        if (error instanceof QueryTooLong && part.to.getTime() - part.from.getTime() > MIN_DIVIDED_MS) {
          const middle = new Date(Math.ceil((part.from.getTime() + part.to.getTime()) / 2));
          // The newer half is read first.
          left.push({ from: part.from, to: middle }, { from: middle, to: part.to });
          waitsUntil = performance.now() + SLOT_TIMEOUT_MS;
        } else if (error instanceof TooManyQueries && isBegun && performance.now() < waitsUntil) {
          await pause(Number(error.headers['Retry-After']) * 1_000, undefined, { signal: gone });
          left.push(part);
        } else throw error;
        yield NOTHING;
        isBegun = true;
        continue;
      }
      yield* this.reads(scope, locators, writer);
      if (locators.length === MAX_PAGE_LOCATORS) {
        before = locators.at(-1) ?? null;
        left.push(part);
      }
      yield NOTHING;
      isBegun = true;
      waitsUntil = performance.now() + SLOT_TIMEOUT_MS;
    }
  }

  private async *reads(
    scope: ProjectScope,
    locators: readonly EventLocator[],
    writer: ExportWriter,
  ): AsyncGenerator<Buffer, void> {
    for (let left = locators; left.length > 0;) {
      const fitting = await this.events.fit(scope, left, MOST_BYTES);
      left = left.slice(fitting.locators.length);
      const size = { bytes: fitting.bytes, usual: MOST_BYTES };
      const { piece, sent } = await this.budget.exportPiece(scope.projectId, size, async () => {
        const rows = await this.events.read(scope, fitting.locators, RECORDS);
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
    if (!(await this.sessions.isComplete(sessionId, userId))) return false;
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

/**
 * Returns whether the promise is fulfilled within a time. @throws the error with which the promise rejects in this time
 */
async function settlesIn(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  try {
    return await Promise.race([
      promise.then(() => true),
      pause(Math.max(0, milliseconds), false, { signal: timer.signal }),
    ]);
  } finally {
    timer.abort();
  }
}

/** Yields spans of neighbouring hours, newest first. Each span but the last has at least `least` events. */
function* spansOf(hours: readonly MatchingHour[], window: TimeWindow, least: number): Generator<TimeWindow> {
  let gathered: MatchingHour[] = [];
  let events = 0;
  for (const hour of hours) {
    gathered.push(hour);
    events += hour.events;
    if (events < least) continue;
    yield spanOf(gathered, window);
    gathered = [];
    events = 0;
  }
  if (gathered.length > 0) yield spanOf(gathered, window);
}
