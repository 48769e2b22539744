import { pipeline } from 'node:stream/promises';
import { Logger } from '@nestjs/common';
import type { ClickHouse } from '../../../../platform/clickhouse/index.js';
import { newId } from '../../../../platform/ids/index.js';
import { unlessAborted } from '../../../../platform/concurrency/index.js';
import { EventTables } from '../tables/event-tables.js';
import { TablesRepository } from '../tables/tables.repository.js';
import type { CopyLimits } from './copy-limits.js';
import { LargePieces } from './large-pieces.js';
import { type Block, ShipmentsRepository } from './shipments.repository.js';
import { StoredEventsRepository } from './stored-events.repository.js';

/** The event store has what PostgreSQL does not know of: one of them was restored, or emptied, without the other. */
export class StoresDiffer extends Error {}

/**
 * Copies one block after the other. What a block has is written down before it is read, it is sent under a token of its own until
 * it was acknowledged, and only then its rows go from PostgreSQL: whoever dies in between leaves a block that the next one sends
 * again, and the event store takes each of its months once.
 */
export class Shipper {
  private readonly logger = new Logger('event-store');
  /** When a block was copied last, by the process's clock, in milliseconds. */
  private copiedAt = -Infinity;

  constructor(
    private readonly shipments: ShipmentsRepository,
    private readonly stored: StoredEventsRepository,
    private readonly tables: EventTables,
    private readonly limits: CopyLimits,
  ) {}

  /** @param doubt what becomes of the copy where its tables are new */
  static between(databaseUrl: string, server: ClickHouse, doubt: () => Promise<void>, limits: CopyLimits): Shipper {
    const tables = new EventTables(new TablesRepository(server), doubt);
    return new Shipper(new ShipmentsRepository(databaseUrl), new StoredEventsRepository(server), tables, limits);
  }

  /** @returns how many events were copied; null when nothing waits, or another process copies */
  async ship(signal: AbortSignal): Promise<number | null> {
    try {
      const turn = await this.shipments.turn();
      if (turn === 'of another') return null;
      if (turn === 'begun') await this.judge(signal);
      const block = await this.shipments.take();
      if (block === null) return null;
      // What takes the server that long may have been a restore, behind a connection to PostgreSQL that knows of nothing.
      if (turn === 'kept' && performance.now() - this.copiedAt > this.limits.quietMs) {
        await this.judgeLast(block.number - 1, signal);
      }
      const events = await this.copy(block, signal);
      await this.shipments.confirm(block);
      this.copiedAt = performance.now();
      return events;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Lets another process copy. */
  async close(): Promise<void> {
    await this.shipments.close();
  }

  /** Before anything is sent over a new connection: a block under a number that is used already would be taken for known. */
  private async judge(signal: AbortSignal): Promise<void> {
    await answered(this.tables.prepare(), signal);
    const place = await this.shipments.place();
    if (place === null) return;
    if (await answered(this.stored.hasLater(place.block + (place.isTaken ? 1 : 0)), signal)) {
      throw new StoresDiffer(
        `the event store has blocks behind ${place.block}, which PostgreSQL has not sent; where it was restored, npm run migrate -- --event-store --restored removes them`,
      );
    }
    await this.judgeLast(place.block, signal);
  }

  /** The tables may be there, and lack what was copied last: they were restored by themselves. */
  private async judgeLast(block: number, signal: AbortSignal): Promise<void> {
    const last = await this.shipments.lastCopied();
    if (last === null || (await answered(this.stored.among([last], block), signal)).size > 0) return;
    await this.shipments.doubt();
    this.logger.error(
      `ClickHouse lacks events that were copied to it up to block ${block}: PostgreSQL answers alone until npm run migrate -- --event-store has looked at every event`,
    );
  }

  private async copy(block: Block, signal: AbortSignal): Promise<number> {
    const sent = await this.send(block, block.token, signal);
    // A server that died while it stored the block may know the token and not have the rows.
    if (block.isBegun && (await answered(this.stored.countOf(block.number), signal)) < sent) {
      await answered(this.stored.removeBlock(block.number), signal);
      return this.send(block, `${block.token}-${newId()}`, signal);
    }
    return sent;
  }

  private async send(block: Block, token: string, signal: AbortSignal): Promise<number> {
    const rows = await this.shipments.read(block);
    const pieces = new LargePieces();
    const bounds = { milliseconds: this.limits.insertMs, signal };
    await Promise.all([this.stored.insert(pieces, token, bounds), pipeline(rows, pieces)]);
    return rows.rowCount;
  }
}

/** Whoever stops does not wait for a server that may say nothing. */
function answered<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return unlessAborted(signal, answer, () => new Error('copying was stopped'));
}
