import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { PLAN_NAMES, type PlanName } from '../config/config.js';
import type { TailOptions } from './operators/audit.js';
import type { OperatorWork } from './operators/operator-context.js';
import type * as OrganizationsModule from './operators/organizations.js';
import type { AnswerForm } from './operators/output.js';
import type * as UsersModule from './operators/users.js';

const MOST_ROWS = 1_000;
/** A shorter prefix is refused: an empty one, for example from an unset shell variable, would match every key. */
const MIN_KEY_CHARACTERS = 4;
const EXIT_MS = 500;
const ORGANIZATION = ['<organization>', 'its id or slug'] as const;
const ADDRESS = ['<address>', 'the e-mail address of the account'] as const;

/** Adds the commands of the operators, which work on the database of the service. */
export function addOperatorCommands(program: Command, environment: NodeJS.ProcessEnv): void {
  const run = async (load: () => Promise<OperatorWork>): Promise<void> => {
    const [{ endWithReader }, { configOrExit }] = await Promise.all([
      import('./operators/output.js'),
      import('../opening.js'),
    ]);
    endWithReader();
    // A command logs only warnings and errors, unless LOG_LEVEL says otherwise. The services are loaded after the
    // configuration has been checked, because loading them takes a second.
    const settings = configOrExit({ LOG_LEVEL: 'warn', ...environment }, process.stderr);
    const [{ runOperatorCommand }, work] = await Promise.all([import('./operators/operator-context.js'), load()]);
    process.exitCode = await runOperatorCommand(settings, work);
  };
  answering(program.command('doctor'))
    .description('Check the configuration and every part that the service needs, and say what to do.')
    .action(async (form: AnswerForm) => {
      const { runDoctor } = await import('./operators/doctor/doctor.js');
      process.exitCode = await runDoctor(environment, form);
      // A connection that hangs would keep the process alive.
      setTimeout(() => process.exit(), EXIT_MS).unref();
    });
  addAccountCommands(program, run);
  addOrganizationCommands(program, run);

  const keys = program.command('keys').description('Revoke API keys.');
  answering(keys.command('revoke'))
    .description('Revoke an API key. When several keys begin with the characters, list them and revoke none.')
    .argument('<key>', `its id, or at least the first ${MIN_KEY_CHARACTERS} characters that lists show of it`, keyName)
    .action((key: string, form: AnswerForm) =>
      run(async () => (await import('./operators/keys.js')).revokeKey(key, form)),
    );

  const audit = program.command('audit').description('Read the audit log of all organizations.');
  answering(audit.command('tail'), 'print each event as one line of JSON')
    .description('Print the newest audit events, oldest first.')
    .option('-n, --lines <count>', 'how many', count(1, MOST_ROWS), 20)
    .option('-f, --follow', 'go on with each later event until the command is stopped')
    .action((options: TailOptions) => run(async () => (await import('./operators/audit.js')).tailAudit(options)));
}

type Run = (load: () => Promise<OperatorWork>) => Promise<void>;

function addAccountCommands(program: Command, run: Run): void {
  const users = program
    .command('users')
    .description('Inspect accounts, and disable them or remove their second factors.');
  const load = (): Promise<typeof UsersModule> => import('./operators/users.js');
  paged(users.command('list'))
    .description('List the accounts, newest first.')
    .action((options: UsersModule.PageOptions) => run(async () => (await load()).listUsers(options)));
  answering(users.command('show'))
    .description('Show an account with its second factors, sessions and organizations.')
    .argument(...ADDRESS)
    .action((address: string, form: AnswerForm) => run(async () => (await load()).showUser(address, form)));
  answering(users.command('reset-mfa'))
    .description('Remove the authenticator app, passkeys and recovery codes, end all sessions, and mail the owner.')
    .argument(...ADDRESS)
    .action((address: string, form: AnswerForm) => run(async () => (await load()).resetMfa(address, form)));
  answering(users.command('disable'))
    .description('Keep an account from signing in, end all its sessions, and mail the owner.')
    .argument(...ADDRESS)
    .action((address: string, form: AnswerForm) => run(async () => (await load()).disableUser(address, form)));
  answering(users.command('enable'))
    .description('Let a disabled account sign in again, and mail the owner.')
    .argument(...ADDRESS)
    .action((address: string, form: AnswerForm) => run(async () => (await load()).enableUser(address, form)));
}

function addOrganizationCommands(program: Command, run: Run): void {
  const organizations = program.command('organizations').description('Inspect, transfer and delete organizations.');
  const load = (): Promise<typeof OrganizationsModule> => import('./operators/organizations.js');
  paged(organizations.command('list'))
    .description('List the organizations, newest first.')
    .action((options: UsersModule.PageOptions) => run(async () => (await load()).listOrganizations(options)));
  answering(organizations.command('show'))
    .description('Show an organization with its members.')
    .argument(...ORGANIZATION)
    .action((name: string, form: AnswerForm) => run(async () => (await load()).showOrganization(name, form)));
  answering(organizations.command('transfer'))
    .description('Make a member the owner. The former owner becomes an admin.')
    .argument(...ORGANIZATION)
    .argument('<address>', 'the e-mail address of a member')
    .action((name: string, address: string, form: AnswerForm) =>
      run(async () => (await load()).transferOrganization(name, address, form)),
    );
  answering(organizations.command('delete'))
    .description('Delete an organization with its projects, for everybody. On a terminal, asks for its slug first.')
    .argument(...ORGANIZATION)
    .option('--yes', 'delete without asking')
    .option('--with-members', 'also when other people than the owner are members')
    .action(async (name: string, options: OrganizationsModule.DeleteOptions, command: Command) => {
      if (options.yes !== true && !process.stdin.isTTY)
        command.error("error: 'organizations delete' needs '--yes' where nobody can be asked");
      await run(async () => (await load()).deleteOrganization(name, options));
    });
  answering(organizations.command('set-plan'))
    .description('Set the plan, until the subscription of the organization gets another one.')
    .argument(...ORGANIZATION)
    .addArgument(new Argument('<plan>', 'the new plan').choices(PLAN_NAMES))
    .action((name: string, plan: PlanName, form: AnswerForm) =>
      run(async () => (await load()).setPlan(name, plan, form)),
    );
}

function answering(command: Command, description = 'print one JSON value'): Command {
  return command.addOption(new Option('--json', description));
}

function paged(command: Command): Command {
  return answering(command)
    .option('--limit <count>', 'how many', count(1, MOST_ROWS), 50)
    .option('--offset <count>', 'how many to skip', count(0, Number.MAX_SAFE_INTEGER), 0);
}

function keyName(text: string): string {
  if (text.length >= MIN_KEY_CHARACTERS) return text;
  throw new InvalidArgumentError(`It must have at least ${MIN_KEY_CHARACTERS} characters.`);
}

function count(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}
