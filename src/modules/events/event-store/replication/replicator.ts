import { pipeline } from 'node:stream/promises';
import { Logger } from '@nestjs/common';
import type { ClickHouse } from '../../../../platform/clickhouse/index.js';
import { newId } from '../../../../platform/ids/index.js';
import { unlessAborted } from '../../../../platform/concurrency/index.js';
import { ClickHouseSchema } from '../clickhouse-schema/clickhouse-schema.js';
import { ClickHouseSchemaRepository } from '../clickhouse-schema/clickhouse-schema.repository.js';
import type { ReplicationLimits } from './replication-limits.js';
import { LargePieces } from './large-pieces.js';
import { type Block, ReplicationQueueRepository } from './replication-queue.repository.js';
import { ReplicatedEventsRepository } from './replicated-events.repository.js';

/** ClickHouse has blocks that PostgreSQL has not sent: one of the two was restored or emptied without the other. */
export class StoresDiffer extends Error {}

/**
 * Replicates one block after another. The content of a block is recorded before it is read. The block is sent under its
 * own token until it is acknowledged. Only then its queue rows are removed from PostgreSQL. If the process ends in
 * between, another process sends the block again, and ClickHouse stores each month of the block once.
 */
export class Replicator {
  private readonly logger = new Logger('event-store');
  /** The time of the last replicated block on the monotonic clock of the process, in milliseconds. */
  private replicatedAt = -Infinity;

  constructor(
    private readonly queue: ReplicationQueueRepository,
    private readonly stored: ReplicatedEventsRepository,
    private readonly tables: ClickHouseSchema,
    private readonly limits: ReplicationLimits,
  ) {}

  /** @param markIncomplete called before tables are created, because an earlier replica may be lost */
  static between(
    databaseUrl: string,
    server: ClickHouse,
    markIncomplete: () => Promise<void>,
    limits: ReplicationLimits,
  ): Replicator {
    const tables = new ClickHouseSchema(new ClickHouseSchemaRepository(server), markIncomplete);
    return new Replicator(
      new ReplicationQueueRepository(databaseUrl),
      new ReplicatedEventsRepository(server),
      tables,
      limits,
    );
  }

  /** @returns the number of replicated events; null when the queue is empty or another process replicates */
  async replicateNext(signal: AbortSignal): Promise<number | null> {
    try {
      const lock = await this.queue.lock();
      if (lock === 'heldElsewhere') return null;
      if (lock === 'acquired') await this.compareStores(signal);
      const block = await this.queue.take();
      if (block === null) return null;
      // After a long pause ClickHouse may have been restored, while the connection to PostgreSQL stayed open.
      if (lock === 'held' && performance.now() - this.replicatedAt > this.limits.quietMs) {
        await this.checkLastReplicated(block.number - 1, signal);
      }
      const events = await this.replicate(block, signal);
      await this.queue.confirm(block);
      this.replicatedAt = performance.now();
      return events;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Releases the lock, so that another process can replicate. */
  async close(): Promise<void> {
    await this.queue.close();
  }

  /**
   * Checks both stores before anything is sent over a new connection. ClickHouse would ignore a block whose token it
   * has already seen.
   */
  private async compareStores(signal: AbortSignal): Promise<void> {
    await unlessStopped(this.tables.prepare(), signal);
    const watermark = await this.queue.watermark();
    if (watermark === null) return;
    if (await unlessStopped(this.stored.hasLater(watermark.block + (watermark.isTaken ? 1 : 0)), signal)) {
      throw new StoresDiffer(
        `the event store has blocks behind ${watermark.block}, which PostgreSQL has not sent; where it was restored, npm run migrate -- --event-store --restored removes them`,
      );
    }
    await this.checkLastReplicated(watermark.block, signal);
  }

  /**
   * ClickHouse may have been restored without PostgreSQL. Then its tables exist, but lack the last replicated events.
   */
  private async checkLastReplicated(block: number, signal: AbortSignal): Promise<void> {
    const last = await this.queue.lastReplicated();
    if (last === null || (await unlessStopped(this.stored.among([last], block), signal)).size > 0) return;
    await this.queue.markIncomplete();
    this.logger.error(
      `ClickHouse lacks events that were copied to it up to block ${block}: PostgreSQL answers alone until npm run migrate -- --event-store has looked at every event`,
    );
  }

  private async replicate(block: Block, signal: AbortSignal): Promise<number> {
    const sent = await this.send(block, block.token, signal);
    // A server that crashed during the insert may have the token but not the rows.
    if (block.isBegun && (await unlessStopped(this.stored.countOf(block.number), signal)) < sent) {
      await unlessStopped(this.stored.removeBlock(block.number), signal);
      return this.send(block, `${block.token}-${newId()}`, signal);
    }
    return sent;
  }

  private async send(block: Block, token: string, signal: AbortSignal): Promise<number> {
    const rows = await this.queue.read(block);
    const pieces = new LargePieces();
    const bounds = { milliseconds: this.limits.insertMs, signal };
    await Promise.all([this.stored.insert(pieces, token, bounds), pipeline(rows, pieces)]);
    return rows.rowCount;
  }
}

/** A stopping process does not wait for a server that may not answer. */
function unlessStopped<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return unlessAborted(signal, answer, () => new Error('copying was stopped'));
}
