import 'reflect-metadata';
import { runDemo } from './demo/index.js';
import { moveEvents } from './modules/events/event-store/index.js';
import { configOrExit, prepareRuntime } from './runtime.js';
import { generateArtifacts, reportDrift } from './tooling/index.js';

const [command, ...argv] = process.argv.slice(2);

const COMMANDS: Record<string, () => Promise<number>> = {
  /** Applies the migrations, on the embedded database when none is named; with --event-store fills ClickHouse, too. */
  migrate: async () => {
    const { config, logger } = configOrExit(process.env);
    const { runtime, embedded } = await prepareRuntime(config, logger);
    try {
      process.stdout.write('The database has every migration.\n');
      if (!argv.includes('--event-store')) return 0;
      return await moveEvents(runtime.databaseUrl, config.eventStore, process.stdout, {
        isRestored: argv.includes('--restored'),
      });
    } finally {
      await embedded?.stop();
    }
  },
  demo: () => runDemo(argv, process.env, process.stdout),
  /** Writes the files of docs/api and .env.example; with --check only compares. */
  generate: () => generateArtifacts({ check: argv.includes('--check') }),
  /** Fails when entities and migrations differ. */
  drift: () => reportDrift(),
};

const run = COMMANDS[command ?? ''];
if (run === undefined) {
  process.stderr.write(`Usage: cli.js ${Object.keys(COMMANDS).join(' | ')}\n`);
  process.exitCode = 2;
} else {
  process.exitCode = await run();
}
