import { runBackfill } from '../modules/events/event-store/index.js';
import { configOrExit, type PreparedRuntime, prepareRuntime, reportFailedStart } from '../runtime.js';

/**
 * Applies the migrations and, when requested, replicates the events to ClickHouse. A database of a newer version is not
 * changed, and its events are not replicated. Returns the exit code.
 */
export async function migrate(
  environment: NodeJS.ProcessEnv,
  options: { readonly eventStore: boolean; readonly restored: boolean },
): Promise<number> {
  const { config, logger } = configOrExit(environment, process.stderr);
  let prepared: PreparedRuntime;
  try {
    prepared = await prepareRuntime(config, logger, { migrations: 'on', joins: true });
  } catch (error) {
    return reportFailedStart(error, logger);
  }
  const { runtime, embedded, unknownMigrations } = prepared;
  try {
    process.stdout.write(
      unknownMigrations.length === 0
        ? 'The database has every migration.\n'
        : `The database is newer than this version and was not changed: this version does not know its migration ${unknownMigrations.at(-1)}.\n`,
    );
    if (!options.eventStore) return 0;
    if (unknownMigrations.length > 0) {
      process.stderr.write('The events were not copied: use the version that has every migration of the database.\n');
      return 1;
    }
    return await runBackfill(runtime.databaseUrl, config.eventStore, process.stdout, { isRestored: options.restored });
  } finally {
    await embedded?.stop();
  }
}
