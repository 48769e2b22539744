import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure, EXIT } from './remote/failure.js';
import type { ApplyOptions } from './remote/alerts/index.js';
import type { RemoteOptions } from './remote/connection.js';
import type { QueryOptions } from './remote/query.js';
import type { SendOptions } from './remote/send.js';
import type { TailOptions } from './remote/tail.js';

const PLACES = `
Without options, OES_URL, OES_TOKEN and OES_PROJECT name the service, the token and the project. Without a token the
stored session of "oes login" is used. Exit codes: 0 done, 1 failed, 2 wrong usage or a faulty file.`;

/** Adds the commands that use a service over its public API. They do not load the service's own modules. */
export function addUserCommands(program: Command, environment: NodeJS.ProcessEnv): void {
  remote(program.command('login'))
    .description('Sign in, and store the tokens of the session in your configuration folder.')
    .option('--email <address>', 'your address; without it you are asked')
    .addHelpText(
      'after',
      '\nThe password is asked for, or read from the standard input. --token stores a token or an API key\ninstead; --token - reads it from the standard input.',
    )
    .action(
      ending(async (options: RemoteOptions & { email?: string }) => {
        const { login } = await import('./remote/login.js');
        return login(options, environment);
      }),
    );

  remote(program.command('send'))
    .description('Send events from NDJSON or JSON arrays.')
    .argument('[files...]', 'files; without them, or as -, the standard input')
    .option('--live', 'send each line within a second')
    .addOption(
      new Option('--run-id <id>', 'continue an earlier run of the same files').argParser(runId).conflicts('live'),
    )
    .action(
      ending(async (files: string[], options: SendOptions) => {
        const { send } = await import('./remote/send.js');
        return send(files, options, environment);
      }),
    );

  remote(program.command('tail'))
    .description('Follow the events of a project as they come.')
    .option('--logs', 'follow the log rows instead')
    .option('--new', 'leave out the events that are stored already')
    .option('--event <type>', 'only events of this type')
    .option('--source <name>', 'only events of this source')
    .option('--severity <text>', 'only events of this severity')
    .option('--environment <name>', 'only events of this environment')
    .option('--status <status>', 'only events or log rows of this status')
    .option('--method <method>', 'with --logs: only rows of this method')
    .option('--endpoint <path>', 'with --logs: only rows of this endpoint')
    .action(
      ending(async (options: TailOptions) => {
        const { tail } = await import('./remote/tail.js');
        return tail(options, environment);
      }),
    );

  remote(program.command('query'))
    .description('Run a query in the Event Query Language.')
    .argument('<query>', 'the query; - reads it from the standard input')
    .option('--range <range>', '15m, 1h, 24h, 7d, 30d or all (default: 24h)')
    .option('--from <time>', 'the start, as an ISO 8601 time')
    .option('--to <time>', 'the end, as an ISO 8601 time')
    .option('--limit <number>', 'at most this many results (default: 100)', wholeNumber)
    .option('--first', 'the first results instead of the last ones')
    .action(
      ending(async (text: string, options: QueryOptions) => {
        const { query } = await import('./remote/query.js');
        return query(text, options, environment);
      }),
    );

  withFiles(remote(program.command('apply')))
    .description('Make alert rules, destinations, channels and silences equal to files.')
    .option('--dry-run', 'only print the changes')
    .option('--rotate-secrets', 'also send the secrets of things that exist')
    .action(
      ending(async (options: ApplyOptions) => {
        const { apply } = await import('./remote/alerts/index.js');
        return apply(options, environment);
      }),
    );

  withFiles(remote(program.command('diff')))
    .description('Print the changes that apply would make. The exit code is 3 if there are some.')
    .action(
      ending(async (options: ApplyOptions) => {
        const { diff } = await import('./remote/alerts/index.js');
        return diff(options, environment);
      }),
    );

  remote(program.command('export'))
    .description('Print alert rules, destinations, channels and silences as apply takes them.')
    .action(
      ending(async (options: RemoteOptions) => {
        const { exportAlerts } = await import('./remote/alerts/index.js');
        return exportAlerts(options, environment);
      }),
    );
}

/** Adds the options that every command for users has. */
function remote(command: Command): Command {
  return command
    .option('--url <address>', 'address of the service')
    .option('--token <token>', 'access token, or API key for send; OES_TOKEN does not show it to others')
    .option('--project <project>', 'id, slug or name of the project')
    .option('--allow-http', 'permit an address that is not encrypted')
    .option('--json', 'print JSON')
    .addHelpText('after', PLACES);
}

function withFiles(command: Command): Command {
  return command
    .requiredOption('-f, --file <file>', 'YAML file, may be given several times; - is the standard input', collected)
    .option('--prune', 'also delete what the files do not have');
}

function collected(file: string, files: readonly string[] = []): string[] {
  return [...files, file];
}

function runId(text: string): string {
  if (!/^[\w.-]{1,100}$/.test(text)) throw new InvalidArgumentError('It has letters, digits, "_", "." and "-".');
  return text;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/**
 * Runs a command, prints its failure and sets the exit code. When the reader of standard output goes away, the command
 * ends without a message.
 */
function ending<Arguments extends unknown[]>(
  run: (...words: Arguments) => Promise<number>,
): (...words: Arguments) => Promise<void> {
  return async (...words) => {
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(process.exitCode ?? EXIT.done);
    });
    try {
      process.exitCode = await run(...words);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      process.stderr.write(`${error.message}\n`);
      process.exitCode = error.exitCode;
    }
  };
}
