// Gives test files the programs that they need. A program is found or started at its first request, so that a run
// without such a file needs none of them.
import { createServer } from 'node:http';
import { startClickHouse } from '../clickhouse/server.mjs';
import { close, listen } from '../http-server.mjs';
import { startRedisServer } from '../redis-server.mjs';
import { startSwift } from '../swift/server.mjs';
import { syslogNg } from '../syslog-ng/program.mjs';
import { startBrowser } from './browser.mjs';
import {
  ALERTMANAGER,
  CHROMIUM,
  findProgram,
  GO,
  JAVAC,
  KUBECTL,
  PG_CTL,
  PROMETHEUS,
  PROMTOOL,
  PYTHON,
  PYTHON_BUILD,
  WHOLE_CHROMIUM,
} from './find.mjs';
import { startSharedService } from './service.mjs';

/** The programs that only have to be found. */
const SINGLE_PROGRAMS = {
  chromium: CHROMIUM,
  'whole-chromium': WHOLE_CHROMIUM,
  alertmanager: ALERTMANAGER,
  prometheus: PROMETHEUS,
  promtool: PROMTOOL,
  kubectl: KUBECTL,
  python: PYTHON,
  'python-build': PYTHON_BUILD,
  go: GO,
  javac: JAVAC,
  'pg-ctl': PG_CTL,
};

/**
 * `?fetch=no` uses only programs on the machine. Otherwise a missing program is installed or downloaded, where possible.
 * The answer is JSON: the settings of the program, or `{ "absent": reason }`.
 *
 * - `/redis`: `{ url }`, one server for the run
 * - `/s3`: the settings of one S3 service for the run
 * - `/clickhouse/<worker>`: `{ url, user, password }`, one server for each worker, as each runs few statements at a time
 * - `/chromium`, `/whole-chromium`, `/alertmanager`, `/prometheus`, `/promtool`, `/kubectl`, `/python`, `/python-build`, `/go`, `/javac`,
 *   `/pg-ctl`: `{ path }`
 * - `/syslog-ng`: `{ path, modules, libraries }`
 * - `/browser`: `{ address }`, one Chromium for the run, to which Playwright connects
 * - `/whole-browser`: the same with notifications
 * - `/service`: what `running-service.ts` lists, the built service without rate limits that a test reaches
 * - `/service-on-clickhouse`: the same, which reads events from a ClickHouse of its own
 * - `/service-with-limits`: the same with the rate limits of a deployment
 *
 * @param {(() => Promise<void>)[]} stops collects what has to be stopped at the end of the run
 * @returns {Promise<string>} the address
 */
export async function servePrograms(stops) {
  const answers = new Map();
  const server = createServer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    const fetch = searchParams.get('fetch') !== 'no';
    void settingsOf(answers, pathname, fetch, stops).then((answer) => response.end(JSON.stringify(answer)));
  });
  const address = await listen(server);
  server.unref();
  stops.push(() => close(server));
  return address;
}

async function settingsOf(answers, pathname, fetch, stops) {
  // A program that was found without fetching serves everyone. A program that was absent then is searched again for a
  // request that may fetch.
  const known = answers.get(`${pathname} no`);
  if (fetch && known !== undefined && !('absent' in (await known))) return known;
  const key = `${pathname} ${fetch ? 'yes' : 'no'}`;
  if (!answers.has(key)) {
    answers.set(
      key,
      start(answers, pathname, fetch, stops).catch((error) => ({ absent: error.message })),
    );
  }
  return answers.get(key);
}

async function start(answers, pathname, fetch, stops) {
  const [, name] = pathname.split('/');
  const single = SINGLE_PROGRAMS[name];
  if (single !== undefined) return { path: await findProgram(single, { install: fetch }) };
  if (name === 'syslog-ng') return syslogNg({ download: fetch });
  if (name === 'browser' || name === 'whole-browser') {
    const program = name === 'browser' ? '/chromium' : '/whole-chromium';
    const { path, absent } = await settingsOf(answers, program, fetch, stops);
    if (absent !== undefined) throw new Error(absent);
    return startBrowser(path, stops);
  }
  if (name === 'redis') {
    const { url, stop } = await startRedisServer({ install: fetch });
    stops.push(stop);
    return { url };
  }
  if (name === 's3') return startSwift(stops, { download: fetch });
  if (name === 'clickhouse') {
    const { url, user, password, stop } = await startClickHouse({ download: fetch });
    stops.push(stop);
    return { url, user, password };
  }
  if (name === 'service') return startSharedService({}, stops);
  if (name === 'service-on-clickhouse') {
    const { url, user, password, stop } = await startClickHouse({ download: fetch });
    stops.push(stop);
    return startSharedService({ clickHouse: { url, user, password } }, stops);
  }
  if (name === 'service-with-limits') return startSharedService({ limits: true }, stops);
  throw new Error(`no program is called ${name}`);
}
