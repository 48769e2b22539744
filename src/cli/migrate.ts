import { moveEvents } from '../modules/events/event-store/index.js';
import { configOrExit, prepareRuntime } from '../runtime.js';

/** Applies the migrations and, when asked, copies the events to ClickHouse. Returns the exit code. */
export async function migrate(
  environment: NodeJS.ProcessEnv,
  options: { readonly eventStore: boolean; readonly restored: boolean },
): Promise<number> {
  const { config, logger } = configOrExit(environment);
  const { runtime, embedded } = await prepareRuntime(config, logger);
  try {
    process.stdout.write('The database has every migration.\n');
    if (!options.eventStore) return 0;
    return await moveEvents(runtime.databaseUrl, config.eventStore, process.stdout, { isRestored: options.restored });
  } finally {
    await embedded?.stop();
  }
}
