import { asPerson, projectOf, type RemoteOptions } from '../connection.js';
import { CommandFailure, EXIT, printable } from '../failure.js';
import { Applying } from './apply.js';
import { exported, sharedNames } from './export.js';
import { readWish } from './file.js';
import { type Change, neededSecrets, type Plan, planOf, type PlanOptions } from './plan.js';
import { type ProjectState, readState } from './project-state.js';
import { titleOf } from './things.js';

export interface ApplyOptions extends RemoteOptions, PlanOptions {
  readonly file: readonly string[];
  readonly dryRun?: boolean;
}

const SIGNS = { create: '+', update: '~', delete: '-' } as const;

/** Makes the project equal to the files. @returns the exit code */
export async function apply(options: ApplyOptions, environment: NodeJS.ProcessEnv): Promise<number> {
  const { api, projectId, state, plan } = await planned(options, environment);
  if (options.dryRun) {
    print(plan, options, 'planned');
    return EXIT.done;
  }
  const missing = neededSecrets(plan).filter(({ name }) => !environment[`OES_SECRET_${name}`]);
  const sentences = missing.map(
    ({ name, place }) => `${place}: set OES_SECRET_${name} to the value of {{secret:${name}}}`,
  );
  if (sentences.length > 0) throw new CommandFailure([...new Set(sentences)].join('\n'), EXIT.usage);
  const applying = new Applying(api, projectId, state.things, (name) => environment[`OES_SECRET_${name}`] ?? '');
  const made: Change[] = [];
  const notes = [...plan.notes];
  try {
    for (const change of plan.changes) {
      const note = await applying.make(change);
      if (note !== undefined) notes.push(note);
      made.push(change);
    }
  } finally {
    print({ ...plan, changes: made, notes }, options, 'made');
  }
  return EXIT.done;
}

/** Prints the changes that `apply` would make. @returns the exit code: 3 if there are some */
export async function diff(options: ApplyOptions, environment: NodeJS.ProcessEnv): Promise<number> {
  const { plan } = await planned(options, environment);
  print(plan, options, 'planned');
  return plan.changes.length > 0 ? EXIT.differs : EXIT.done;
}

/** Prints the project's destinations, channels, rules and silences as YAML or JSON. @returns the exit code */
export async function exportAlerts(options: RemoteOptions, environment: NodeJS.ProcessEnv): Promise<number> {
  const api = await asPerson(options, environment);
  const state = await readState(api, await projectOf(api, options, environment));
  const shared = sharedNames(state);
  if (shared.length > 0) throw new CommandFailure(shared.join('\n'));
  for (const note of state.notes) process.stderr.write(`${note}\n`);
  for (const each of state.things.filter(({ notifiesNobody }) => notifiesNobody)) {
    process.stderr.write(`${titleOf(each)} notifies nobody now. Applied, it notifies every webhook of the project.\n`);
  }
  process.stdout.write(exported(state, options.json));
  return EXIT.done;
}

interface Planned {
  readonly api: Awaited<ReturnType<typeof asPerson>>;
  readonly projectId: string;
  readonly state: ProjectState;
  readonly plan: Plan;
}

/** @throws {CommandFailure} with every fault of the files */
async function planned(options: ApplyOptions, environment: NodeJS.ProcessEnv): Promise<Planned> {
  const wish = await readWish(options.file);
  try {
    const api = await asPerson(options, environment);
    const projectId = await projectOf(api, options, environment);
    const state = await readState(api, projectId);
    const plan = planOf(wish, state, options);
    if (plan.faults.length > 0) throw new CommandFailure(plan.faults.join('\n'), EXIT.usage);
    return { api, projectId, state, plan };
  } catch (error) {
    // Faults of the files are reported even when a request to the service fails.
    if (wish.faults.length === 0 || (error as CommandFailure).exitCode === EXIT.usage) throw error;
    throw new CommandFailure([...wish.faults, (error as Error).message].join('\n'), EXIT.usage);
  }
}

function print({ changes, unchanged, notes }: Plan, { json }: RemoteOptions, word: 'planned' | 'made'): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ changes: changes.map(jsonOf), unchanged, notes })}\n`);
    return;
  }
  for (const note of notes) process.stderr.write(`${printable(note)}\n`);
  for (const change of changes) process.stdout.write(`${textOf(change)}\n`);
  process.stdout.write(
    changes.length === 0
      ? `Nothing to do: ${unchanged} unchanged\n`
      : `${changes.length} ${word}, ${unchanged} unchanged\n`,
  );
}

function jsonOf(change: Change): object {
  const { kind, name } = change.action === 'delete' ? change.existing : change.wanted;
  return { action: change.action, kind, name, ...(change.action === 'update' && { members: change.members }) };
}

function textOf(change: Change): string {
  const title = printable(titleOf(change.action === 'delete' ? change.existing : change.wanted));
  const members = change.action === 'update' ? change.members : [];
  const lines = members.map(({ member, from, to }) => `    ${member}: ${shown(from)} -> ${shown(to)}`);
  return [`${SIGNS[change.action]} ${title}`, ...lines].join('\n');
}

function shown(value: unknown): string {
  return printable(JSON.stringify(value ?? null));
}
