import { join } from 'node:path';
import { ApiClient } from './api-client.js';
import { type DemoOptions, parseArguments, setting, USAGE } from './args.js';
import { ArgumentError, DemoError } from './demo-error.js';
import { generateEvents } from './generator.js';
import { countEventLines, type FaultyLine, readEventLines } from './lines.js';
import { showShop } from './live/index.js';
import { Mailbox } from './mailbox.js';
import { Progress } from './progress.js';
import { credentialLines, curlLines, logLines, type LogRange, usageLines } from './report.js';
import { BatchSender, type EventLine } from './sender.js';
import { findOrStartService, type Service } from './service.js';
import { printable } from './table.js';
import { createWorkspace, newAddress, registerVerified, SignIn, type Workspace } from './workspace.js';

/** Number of batches in flight: the service writes one while it reads the next. */
const CONCURRENCY = 2;

type Environment = Readonly<Record<string, string | undefined>>;

/** The events to send and their number. */
interface Supply {
  readonly total: number;
  readonly events: AsyncIterable<EventLine | FaultyLine>;
}

/**
 * Demonstrates the public API on a running service or one that the demo starts. It creates an account, an organization,
 * a project and a key, sends events, and reads logs and usage.
 * @param argv the arguments after the command; `--help` explains them
 * @param out receives everything that the demo prints
 * @param signal ends a demo that continues until it is stopped
 * @returns the exit code: 0, 1 when something failed or a line was refused, 2 for a wrong command line
 */
export async function runDemo(
  argv: string[],
  env: Record<string, string | undefined>,
  out: NodeJS.WritableStream,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  try {
    const options = parseArguments(argv, env);
    if (options !== 'help') return await demonstrate(options, env, out, signal);
    out.write(`${USAGE}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    out.write(`${printableLines(error.message)}\n`);
    if (!(error instanceof ArgumentError)) return 1;
    out.write(`\n${USAGE}\n`);
    return 2;
  }
}

async function demonstrate(
  options: DemoOptions,
  env: Environment,
  out: NodeJS.WritableStream,
  signal: AbortSignal,
): Promise<number> {
  const print = (line = ''): void => void out.write(`${line}\n`);
  if (setting(env, 'SMTP_URL') !== undefined) throw new DemoError(MAIL_LEAVES);
  if (options.isLive || options.historyDays !== null) return await demonstrateShop(options, env, print, signal);
  // Faults of the file are reported before an account is created.
  const supply = await supplyOf(options);
  const service = await findOrStartService(options, env, print);
  let workspace: Workspace & { refused: number };
  try {
    workspace = await run(service, supply, options, out);
  } finally {
    if (service.own !== null) {
      const end = await service.own.stop();
      print(`\nThe service that the demo started ${end}.`);
    }
  }
  print();
  print(credentialLines(workspace).join('\n'));
  if (service.own !== null) print(`\nStart the service again, in another terminal:\n\n${service.own.startCommand}`);
  print('\nTo go on: sign in, send one event, read the newest log rows');
  for (const line of curlLines(service.url, workspace, rangeOf(options))) print(`\n${line}`);
  return workspace.refused > 0 ? 1 : 0;
}

/** Sends the events of a shop. Ends early when the signal aborts, or on Ctrl+C. */
async function demonstrateShop(
  options: DemoOptions,
  env: Environment,
  print: (line?: string) => void,
  signal: AbortSignal,
): Promise<number> {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  for (const name of INTERRUPTS) process.once(name, interrupt);
  const email = newAddress();
  try {
    const service = await findOrStartService(options, { ...env, ...ownSettings(env, email) }, print);
    let isComplete: boolean;
    try {
      const client = new ApiClient(service.url);
      const outbox = join(options.dataDir.path, 'outbox');
      const credentials = await registerVerified(client, await Mailbox.open(outbox), outbox, email);
      const signIn = new SignIn(client, credentials);
      const workspace = await createWorkspace(client, signIn, credentials);
      print(`\nThe console is at ${service.url}/console`);
      print(`  email     ${credentials.email}\n  password  ${credentials.password}\n`);
      const either = AbortSignal.any([signal, interrupted.signal]);
      isComplete = await showShop({ ...options, client, signIn, workspace, print, signal: either });
    } finally {
      if (service.own !== null) print(`The service that the demo started ${await service.own.stop()}.`);
    }
    if (service.own !== null && !options.isLive)
      print(`To see it, start the service again: ${service.own.startCommand}`);
    return isComplete ? 0 : 1;
  } finally {
    for (const name of INTERRUPTS) process.removeListener(name, interrupt);
  }
}

const INTERRUPTS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Settings of a service that the demo starts. They let the demo's account set its own plan, let webhooks reach the
 * demo, and let its keys send the past events without a pause.
 */
function ownSettings(env: Environment, email: string): Record<string, string> {
  return {
    RATE_LIMIT_OVERRIDES: setting(env, 'RATE_LIMIT_OVERRIDES') ?? 'events=30/600',
    ENABLE_BILLING_ADMIN: 'true',
    PLATFORM_ADMIN_EMAILS: email,
    OUTBOUND_ALLOWED_SUBNETS: '127.0.0.1/32',
  };
}

const MAIL_LEAVES = `SMTP_URL is set, so the verification mail would leave this machine and the demo could not read it.
Run it with mail captured in files instead, against a service that has no SMTP_URL either:

  SMTP_URL= npm run demo`;

async function supplyOf({ file, count, seed }: DemoOptions): Promise<Supply> {
  if (file === null) return { total: count, events: generatedLines(count, seed) };
  const total = await countEventLines(file);
  if (total === 0) throw new DemoError(`The file ${file} holds no events`);
  return { total, events: readEventLines(file) };
}

/** Generates the events when sending begins, so that the newest events are recent. */
async function* generatedLines(count: number, seed: number): AsyncGenerator<EventLine> {
  let line = 0;
  for (const event of generateEvents({ count, seed, now: new Date() })) {
    line += 1;
    yield { line, body: JSON.stringify(event) };
  }
}

async function run(
  service: Service,
  supply: Supply,
  options: DemoOptions,
  out: NodeJS.WritableStream,
): Promise<Workspace & { refused: number }> {
  const print = (line = ''): void => void out.write(`${line}\n`);
  const client = new ApiClient(service.url);
  const outbox = join(options.dataDir.path, 'outbox');
  const mailbox = await Mailbox.open(outbox);

  const credentials = await registerVerified(client, mailbox, outbox);
  print(`Registered and verified ${credentials.email}`);
  const signIn = new SignIn(client, credentials);
  const workspace = await createWorkspace(client, signIn, credentials);
  print('Signed in; made an organization, a project and an API key');

  print(`Sending ${supply.total} events${options.file === null ? '' : ` of ${options.file}`}`);
  const refused = await sendAll(client, workspace.apiKey, supply, out);

  print();
  print((await logLines(client, signIn, workspace.projectId, rangeOf(options))).join('\n'));
  print();
  print((await usageLines(client, signIn, workspace)).join('\n'));
  return { ...workspace, refused };
}

/** @returns how many lines did not become events */
async function sendAll(client: ApiClient, apiKey: string, supply: Supply, out: NodeJS.WritableStream): Promise<number> {
  const progress = new Progress(out, supply.total);
  let accepted = 0;
  let refused = 0;
  const fail = (line: number, reason: string): void => {
    refused += 1;
    progress.note(`  line ${line}: ${printable(reason)}`);
    progress.advance();
  };
  const readable = async function* (): AsyncGenerator<EventLine> {
    for await (const line of supply.events) {
      if ('fault' in line) fail(line.line, line.fault);
      else yield line;
    }
  };
  const sender = new BatchSender({
    client,
    apiKey,
    concurrency: CONCURRENCY,
    onPause: (seconds, reason) => progress.note(`  waiting ${seconds} s: ${printable(reason)}`),
  });
  const startedAt = performance.now();
  try {
    await sender.send(readable(), (outcome) => {
      if (!outcome.accepted) return fail(outcome.line, outcome.reason);
      accepted += 1;
      progress.advance();
    });
  } finally {
    progress.finish();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  out.write(
    `${accepted} events in ${seconds.toFixed(1)} s (${Math.round(accepted / Math.max(seconds, 0.001))} events/s)\n`,
  );
  if (refused > 0) out.write(`${refused} of ${supply.total} were refused\n`);
  return refused;
}

/** Returns the range of the log page. It is unlimited for a file, whose events may have any age. */
function rangeOf({ file }: DemoOptions): LogRange {
  return file === null ? '24h' : 'all';
}

function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
