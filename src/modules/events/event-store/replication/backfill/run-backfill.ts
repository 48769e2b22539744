import type { Writable } from 'node:stream';
import { type ClickHouseSettings, CONFIG_EXIT_CODE, ConfigError } from '../../../../../config/index.js';
import { ClickHouse, shortReason } from '../../../../../platform/clickhouse/index.js';
import { ReplicationLimits } from '../replication-limits.js';
import { Replicator } from '../replicator.js';
import { ReplicationQueueRepository } from '../replication-queue.repository.js';
import { ReplicatedEventsRepository } from '../replicated-events.repository.js';
import { ClickHouseSchema } from '../../clickhouse-schema/clickhouse-schema.js';
import { ClickHouseSchemaRepository } from '../../clickhouse-schema/clickhouse-schema.repository.js';
import { Backfill } from './backfill.js';
import { BackfillRepository } from './backfill.repository.js';

const BAR_CHARACTERS = 30;
const LINE_MS = 1_000;

interface Screen extends Writable {
  readonly isTTY?: boolean;
}

/**
 * Replicates every event of the database to ClickHouse and prints the progress. The service may run meanwhile.
 * @param options.isRestored PostgreSQL was restored to an earlier state; later events are removed from ClickHouse first
 * @returns the exit code: 0 when reads can use ClickHouse
 */
export async function runBackfill(
  databaseUrl: string,
  settings: ClickHouseSettings | undefined,
  output: Screen,
  { isRestored = false }: { readonly isRestored?: boolean } = {},
): Promise<number> {
  const say = (line: string): void => void output.write(`${line}\n`);
  if (settings === undefined) {
    say('CLICKHOUSE_URL is missing: it names the ClickHouse that is to have the events.');
    return CONFIG_EXIT_CODE;
  }
  const repository = await BackfillRepository.open(databaseUrl);
  const server = await ClickHouse.open(settings);
  const tables = new ClickHouseSchema(new ClickHouseSchemaRepository(server), () => repository.markIncomplete());
  const stored = new ReplicatedEventsRepository(server);
  const replicator = new Replicator(
    new ReplicationQueueRepository(databaseUrl),
    stored,
    tables,
    new ReplicationLimits(),
  );
  try {
    await tables.prepare();
    if (!(await repository.begin())) {
      say('Another process moves the events already.');
      return 1;
    }
    if (isRestored) {
      // ClickHouse ignores a block with a known token even when its content differs, so the tokens are renewed.
      await repository.renew();
      await stored.removeLater(await repository.block());
      say('ClickHouse has nothing behind the state of PostgreSQL any more.');
    }
    const progress = new BackfillProgress(await repository.total(), output);
    const hasReplicated = await new Backfill(repository, stored, replicator).run((events) => progress.show(events));
    progress.end();
    say(hasReplicated ? 'ClickHouse has every event, by number and by id.' : 'ClickHouse has had every event before.');
    return 0;
  } catch (error) {
    say(`\nThe events are not moved: ${error instanceof ConfigError ? error.faults.join('; ') : shortReason(error)}`);
    return error instanceof ConfigError ? CONFIG_EXIT_CODE : 1;
  } finally {
    await replicator.close();
    await repository.close();
    await server.close();
  }
}

/** Draws a progress bar on a terminal, and prints a line at intervals elsewhere. */
class BackfillProgress {
  private shownAt = -Infinity;
  private hasLine = false;

  constructor(
    private readonly total: number,
    private readonly output: Screen,
  ) {}

  show(events: number): void {
    const now = performance.now();
    if (now - this.shownAt < LINE_MS) return;
    this.shownAt = now;
    const share = this.total === 0 ? 1 : Math.min(1, events / this.total);
    const done = Math.round(share * BAR_CHARACTERS);
    const bar = `${'#'.repeat(done)}${'-'.repeat(BAR_CHARACTERS - done)}`;
    const line = `[${bar}] ${Math.floor(share * 100)} %, ${events} of ${this.total} events looked at`;
    this.hasLine = this.output.isTTY === true;
    this.output.write(this.hasLine ? `\r${line}` : `${line}\n`);
  }

  end(): void {
    if (this.hasLine) this.output.write('\n');
  }
}
