import 'reflect-metadata';

const [command, ...argv] = process.argv.slice(2);

/** The command is mistyped. Running only the part that is understood would look like success. */
class UsageError extends Error {}

/** @throws UsageError when the command has an option that is not listed, or one without the option that it needs */
function requireOptions(usage: string, options: Readonly<Record<string, string | null>>): void {
  const isFit = argv.every((word) => {
    const needed = new Map(Object.entries(options)).get(word);
    return needed !== undefined && (needed === null || argv.includes(needed));
  });
  if (!isFit) throw new UsageError(usage);
}

/** Each command imports what it needs itself, so a mistyped command is refused before the service is loaded. */
const COMMANDS: Record<string, () => Promise<number>> = {
  /**
   * Applies the migrations, to the embedded database when none is configured. With --event-store also fills ClickHouse.
   */
  migrate: async () => {
    requireOptions('migrate [--event-store [--restored]]', { '--event-store': null, '--restored': '--event-store' });
    const { configOrExit, prepareRuntime } = await import('./runtime.js');
    const { config, logger } = configOrExit(process.env);
    const { runtime, embedded } = await prepareRuntime(config, logger);
    try {
      process.stdout.write('The database has every migration.\n');
      if (!argv.includes('--event-store')) return 0;
      const { moveEvents } = await import('./modules/events/event-store/index.js');
      return await moveEvents(runtime.databaseUrl, config.eventStore, process.stdout, {
        isRestored: argv.includes('--restored'),
      });
    } finally {
      await embedded?.stop();
    }
  },
  demo: async () => {
    const { runDemo } = await import('./demo/index.js');
    return runDemo(argv, process.env, process.stdout);
  },
  /** Writes the files of docs/api and .env.example. With --check only compares them. */
  generate: async () => {
    requireOptions('generate [--check]', { '--check': null });
    const { generateArtifacts } = await import('./tooling/index.js');
    return generateArtifacts({ check: argv.includes('--check') });
  },
  /** Fails when entities and migrations differ. */
  drift: async () => {
    requireOptions('drift', {});
    const { reportDrift } = await import('./tooling/index.js');
    return reportDrift();
  },
};

async function run(): Promise<number> {
  try {
    const chosen = new Map(Object.entries(COMMANDS)).get(command ?? '');
    if (chosen === undefined) throw new UsageError(Object.keys(COMMANDS).join(' | '));
    return await chosen();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`Usage: cli.js ${error.message}\n`);
    return 2;
  }
}

process.exitCode = await run();
