import { Command } from 'commander';
import { addMaintenanceCommands } from './maintenance-commands.js';
import { addUserCommands } from './user-commands.js';
import { addOperatorCommands } from './operator-commands.js';

/**
 * Creates the command line of the service. Each command imports what it needs when it runs, so help and a mistyped
 * command are answered before the service is loaded. A command sets `process.exitCode` when it fails.
 */
export function buildProgram(environment: NodeJS.ProcessEnv): Command {
  const program = new Command('oes')
    .description('Run, inspect and use the Operational Event Service.')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('Run the command with --help to see its options.');
  addMaintenanceCommands(program, environment);
  addUserCommands(program, environment);
  addOperatorCommands(program, environment);
  return program;
}
