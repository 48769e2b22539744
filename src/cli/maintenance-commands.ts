import { type Command } from 'commander';

/** Adds the commands for the database and for the generated files. */
export function addMaintenanceCommands(program: Command, environment: NodeJS.ProcessEnv): void {
  program
    .command('migrate')
    .description('Apply the migrations. Without DATABASE_URL, apply them to the embedded database.')
    .option('--event-store', 'also copy the events to ClickHouse')
    .option('--restored', 'with --event-store: PostgreSQL was restored, and ClickHouse has later events')
    .action(
      async (
        { eventStore = false, restored = false }: { eventStore?: boolean; restored?: boolean },
        command: Command,
      ) => {
        if (restored && !eventStore) command.error("error: option '--restored' needs '--event-store'");
        const { migrate } = await import('./migrate.js');
        process.exitCode = await migrate(environment, { eventStore, restored });
      },
    );

  program
    .command('demo')
    .description('Start a service with example data. See the guide for the options.')
    .allowUnknownOption()
    .allowExcessArguments()
    .helpOption(false)
    .action(async (_options: object, command: Command) => {
      const { runDemo } = await import('../demo/index.js');
      process.exitCode = await runDemo(command.args, environment, process.stdout);
    });

  program
    .command('generate')
    .description('Write the files of docs/api and .env.example.')
    .option('--check', 'only compare them')
    .action(async ({ check = false }: { check?: boolean }) => {
      const { generateArtifacts } = await import('../tooling/index.js');
      process.exitCode = await generateArtifacts({ check });
    });

  program
    .command('drift')
    .description('Fail when the entities and the migrations differ.')
    .action(async () => {
      const { reportDrift } = await import('../tooling/index.js');
      process.exitCode = await reportDrift();
    });
}
