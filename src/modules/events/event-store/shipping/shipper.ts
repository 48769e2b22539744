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

/** ClickHouse has blocks that PostgreSQL has not sent: one of the two was restored or emptied without the other. */
export class StoresDiffer extends Error {}

/**
 * Replicates one block after another. The content of a block is recorded before it is read. The block is sent under its
 * own token until it is acknowledged. Only then its queue rows are removed from PostgreSQL. If the process ends in
 * between, another process sends the block again, and ClickHouse stores each month of the block once.
 */
export class Shipper {
  private readonly logger = new Logger('event-store');
  /** The time of the last replicated block on the monotonic clock of the process, in milliseconds. */
  private copiedAt = -Infinity;

  constructor(
    private readonly shipments: ShipmentsRepository,
    private readonly stored: StoredEventsRepository,
    private readonly tables: EventTables,
    private readonly limits: CopyLimits,
  ) {}

  /** @param doubt called when the tables are created, because a former replica may be lost */
  static between(databaseUrl: string, server: ClickHouse, doubt: () => Promise<void>, limits: CopyLimits): Shipper {
    const tables = new EventTables(new TablesRepository(server), doubt);
    return new Shipper(new ShipmentsRepository(databaseUrl), new StoredEventsRepository(server), tables, limits);
  }

  /** @returns the number of replicated events; null when the queue is empty or another process replicates */
  async ship(signal: AbortSignal): Promise<number | null> {
    try {
      const turn = await this.shipments.turn();
      if (turn === 'of another') return null;
      if (turn === 'begun') await this.judge(signal);
      const block = await this.shipments.take();
      if (block === null) return null;
      // After a long pause ClickHouse may have been restored, while the connection to PostgreSQL stayed open.
      if (turn === 'kept' && performance.now() - this.copiedAt > this.limits.quietMs) {
        await this.detectLast(block.number - 1, signal);
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

  /** Releases the lock, so that another process can replicate. */
  async close(): Promise<void> {
    await this.shipments.close();
  }

  /**
   * Checks both stores before anything is sent over a new connection. ClickHouse would ignore a block whose token it
   * has already seen.
   */
  private async judge(signal: AbortSignal): Promise<void> {
    await answered(this.tables.prepare(), signal);
    const place = await this.shipments.place();
    if (place === null) return;
    if (await answered(this.stored.hasLater(place.block + (place.isTaken ? 1 : 0)), signal)) {
      throw new StoresDiffer(
        `the event store has blocks behind ${place.block}, which PostgreSQL has not sent; where it was restored, npm run migrate -- --event-store --restored removes them`,
      );
    }
    await this.detectLast(place.block, signal);
  }

  /**
   * ClickHouse may have been restored without PostgreSQL. Then its tables exist, but lack the last replicated events.
   */
  private async detectLast(block: number, signal: AbortSignal): Promise<void> {
    const last = await this.shipments.lastCopied();
    if (last === null || (await answered(this.stored.among([last], block), signal)).size > 0) return;
    await this.shipments.doubt();
    this.logger.error(
      `ClickHouse lacks events that were copied to it up to block ${block}: PostgreSQL answers alone until npm run migrate -- --event-store has looked at every event`,
    );
  }

  private async copy(block: Block, signal: AbortSignal): Promise<number> {
    const sent = await this.send(block, block.token, signal);
    // A server that crashed during the insert may have the token but not the rows.
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

/** A stopping process does not wait for a server that may not answer. */
function answered<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return unlessAborted(signal, answer, () => new Error('copying was stopped'));
}
