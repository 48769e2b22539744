import { CONFIG_EXIT_CODE, type Config, ConfigError, loadConfig } from '../../../config/index.js';
import { findRunningCluster } from '../../../embedded-postgres/index.js';
import { within } from '../../../platform/concurrency/index.js';
import { SERVICE_VERSION } from '../../../platform/http/service-info.js';
import { Logger } from '../../../platform/telemetry/index.js';
import { answer, type AnswerForm, printable } from '../output.js';
import {
  checkClickHouse,
  checkDataFolder,
  checkMail,
  checkObjects,
  checkOperationsPort,
  checkRedis,
  redisServers,
} from './backend.checks.js';
import { checkClock, checkDatabase, checkEncryption, withDatabase } from './database.checks.js';
import { reason } from './reason.js';
import { failed, type Finding, ok, skipped, type Verdict, warning } from './finding.js';

/** All checks run at once, so the command ends soon after this time. */
const CHECK_LIMIT_MS = 6_000;
const DATABASE_CHECKS = ['database', 'clock', 'encryption'] as const;

type Check = readonly [name: string, run: () => Promise<Verdict[]>];

/** Checks every part that the service needs, and prints what is wrong and what to do. Returns the exit code. */
export async function runDoctor(environment: NodeJS.ProcessEnv, form: AnswerForm): Promise<number> {
  let config: Config;
  try {
    config = loadConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'Correct the variable. The documentation lists all of them.';
    await report(
      form,
      error.faults.map((fault) => ({ check: 'configuration', ...failed(`${fault}.`, advice) })),
    );
    return CONFIG_EXIT_CODE;
  }
  const findings = (await Promise.all(checksOf(config).map(run))).flat();
  await report(form, findings);
  return findings.some(({ state }) => state === 'failed') ? 1 : 0;
}

function checksOf(config: Config): Check[] {
  const logger = new Logger({ level: 'silent' });
  return [
    ['configuration', () => Promise.resolve([configurationVerdict(config)])],
    ...databaseChecks(config),
    ...redisChecks(config),
    ['clickhouse', () => checkClickHouse(config)],
    ['mail', () => checkMail(config)],
    ['objects', () => checkObjects(config, logger)],
    ['data folder', () => checkDataFolder(config)],
    ['operations port', () => checkOperationsPort(config)],
  ];
}

function configurationVerdict({ environment, process: { role }, queue, ingestion }: Config): Verdict {
  return ok(
    `The configuration is usable: ${environment}, role ${role}, queue in ${queue.backend}, ingest mode ${ingestion.mode}.`,
  );
}

function databaseChecks(config: Config): Check[] {
  const located = config.database.url === undefined ? findRunningCluster(config.dataDir.path) : config.database.url;
  const works: Record<(typeof DATABASE_CHECKS)[number], (url: string) => Promise<Verdict[]>> = {
    database: (url) => checkDatabase(config, url),
    clock: async (url) => [await withDatabase(url, (database) => checkClock('the database', () => database.clock()))],
    encryption: (url) => checkEncryption(config, url),
  };
  return DATABASE_CHECKS.map((name) => [
    name,
    async () => {
      const url = await located;
      if (url !== null) return works[name](url);
      const advice = 'The embedded database runs with the service alone, and no service runs on this data folder.';
      return [skipped(`${advice} Start the service and run the doctor again.`)];
    },
  ]);
}

function redisChecks(config: Config): Check[] {
  const servers = redisServers(config);
  if (servers.length === 0) return [['redis', () => Promise.resolve([skipped('Redis is not configured.')])]];
  return servers.map(({ url, keepsData }, index) => [
    index === 0 ? 'redis' : 'redis of rate limits',
    () => checkRedis(url, keepsData, config),
  ]);
}

async function run([check, look]: Check): Promise<Finding[]> {
  try {
    const verdicts = await within(CHECK_LIMIT_MS, look(), () => new DOMException('no answer in time', 'TimeoutError'));
    return verdicts.map((verdict) => ({ check, ...verdict }));
  } catch (error) {
    return [{ check, ...verdictOf(check, reason(error)) }];
  }
}

/**
 * Returns the finding of a check that threw an error, with the reason. A check that also needs the database only warns,
 * because the check `database` fails with the same reason.
 */
function verdictOf(check: string, why: string): Verdict {
  switch (check) {
    case 'database':
      return failed(
        `The database does not answer (${why}).`,
        'Check DATABASE_URL, that the server runs, and that the role may connect.',
      );
    case 'clock':
    case 'encryption':
      return warning(`This could not be checked (${why}).`, 'Look at the findings about the database.');
    default:
      return failed(`This part does not work (${why}).`, 'Look at the log of the service.');
  }
}

async function report(form: AnswerForm, findings: readonly Finding[]): Promise<void> {
  const count = (state: Finding['state']): number => findings.filter((finding) => finding.state === state).length;
  const totals = { ok: count('ok'), warning: count('warning'), failed: count('failed'), skipped: count('skipped') };
  const lines = findings.flatMap(({ check, state, message, advice }) => [
    `${state.padEnd(8)} ${check}: ${printable(message)}`,
    ...(advice === undefined ? [] : [`         ${printable(advice)}`]),
  ]);
  const sum = `failed: ${totals.failed}, warnings: ${totals.warning}, ok: ${totals.ok}, skipped: ${totals.skipped}`;
  await answer(form, { version: SERVICE_VERSION, ...totals, findings }, [...lines, '', sum]);
}
