import { pipeline } from 'node:stream/promises';
import { newId } from '../../../../platform/ids/index.js';
import type { EventTables } from '../tables/event-tables.js';
import { LargePieces } from './large-pieces.js';
import type { Block, ShipmentsRepository } from './shipments.repository.js';
import type { StoredEventsRepository } from './stored-events.repository.js';

/** The event store has what PostgreSQL does not know of: one of them was restored, or emptied, without the other. */
export class StoresDiffer extends Error {}

/**
 * Copies one block after the other. What a block has is written down before it is read, it is sent under a token of its own until
 * it was acknowledged, and only then its rows go from PostgreSQL: whoever dies in between leaves a block that the next one sends
 * again, and the event store takes each of its months once.
 */
export class Shipper {
  constructor(
    private readonly shipments: ShipmentsRepository,
    private readonly stored: StoredEventsRepository,
    private readonly tables: EventTables,
  ) {}

  /** @returns how many events were copied; null when nothing waits, or another process copies */
  async ship(signal: AbortSignal): Promise<number | null> {
    try {
      const turn = await this.shipments.turn();
      if (turn === 'of another') return null;
      if (turn === 'begun') await this.judge();
      const block = await this.shipments.take();
      if (block === null) return null;
      const events = await this.copy(block, signal);
      await this.shipments.confirm(block);
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
  private async judge(): Promise<void> {
    await this.tables.prepare();
    const place = await this.shipments.place();
    if (place !== null && (await this.stored.hasLater(place.block + (place.isTaken ? 1 : 0)))) {
      throw new StoresDiffer(
        `the event store has blocks behind ${place.block}, which PostgreSQL has not sent; where it was restored, npm run migrate -- --event-store --restored removes them`,
      );
    }
  }

  private async copy(block: Block, signal: AbortSignal): Promise<number> {
    const sent = await this.send(block, block.token, signal);
    // A server that died while it stored the block may know the token and not have the rows.
    if (block.isBegun && (await this.stored.countOf(block.number)) < sent) {
      await this.stored.removeBlock(block.number);
      return this.send(block, `${block.token}-${newId()}`, signal);
    }
    return sent;
  }

  private async send(block: Block, token: string, signal: AbortSignal): Promise<number> {
    const rows = await this.shipments.read(block);
    const pieces = new LargePieces();
    await Promise.all([this.stored.insert(pieces, token, signal), pipeline(rows, pieces)]);
    return rows.rowCount;
  }
}
