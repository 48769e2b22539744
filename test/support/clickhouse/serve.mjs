// Serves the parts of ClickHouse's HTTP interface that the service and its tests use, with the engine in this process.
// The engine allows one data folder per process, so each server is a process, which a test can also kill.
// Arguments: folder of the package, data folder, port (0: a free one), user, password.
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import { createWriteStream, renameSync, writeFileSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const [folder, home, port, user, password] = process.argv.slice(2);
const { Session } = createRequire(join(folder, 'package.json'))('chdb');
/**
 * A session executes one statement at a time, and several sessions share the engine. There are no more sessions than
 * threads for them.
 */
const idle = Array.from({ length: 4 }, () => new Session(join(home, 'data')));
const waiting = [];
let files = 0;

/** These settings belong to the HTTP interface; the engine in this process rejects them. */
const HTTP_SETTINGS = new Set(['wait_end_of_query', 'enable_http_compression', 'send_progress_in_http_headers']);
/** The limit of one value in the URL, in bytes, as in the real interface. */
const MOST_VALUE_BYTES = 131_072;
/** These URL parameters are not settings of the statement. */
const PARAMETERS = new Set(['query', 'query_id', 'default_format', 'session_id', 'database', 'role']);

// Values are in the URL; this allows headers as large as the real interface does.
const server = createServer({ maxHeaderSize: 1_048_576 }, (request, response) => {
  void answer(request, response).catch((error) => {
    const said = `${error.message}`;
    const code = /Code: (\d+)/.exec(said)?.[1] ?? '1002';
    response.statusCode = code === '516' ? 403 : 500;
    response.setHeader('X-ClickHouse-Exception-Code', code);
    response.end(said);
  });
});
server.listen(Number(port), '127.0.0.1', () => {
  // A reader of this file sees the whole address or no file.
  writeFileSync(join(home, 'address.draft'), `http://127.0.0.1:${server.address().port}`);
  renameSync(join(home, 'address.draft'), join(home, 'address'));
});

async function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://server');
  if (pathname === '/ping') return response.end('Ok.\n');
  if (!isKnown(request)) {
    request.resume();
    throw new Error(
      `Code: 516. DB::Exception: ${user}: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)`,
    );
  }
  const given = searchParams.has('query') ? { file: await fileOf(request) } : { text: await textOf(request) };
  try {
    const result = await oneAtATime((session) => execute(session, searchParams, given));
    response.setHeader('X-ClickHouse-Summary', '{}');
    response.end(result);
  } finally {
    if (given.file !== undefined) await rm(given.file, { force: true });
  }
}

async function oneAtATime(work) {
  const session = idle.pop() ?? (await new Promise((resolve) => waiting.push(resolve)));
  try {
    return await work(session);
  } catch (error) {
    // After an error the engine would return the rows that it had already written with the next answer. This statement
    // discards them.
    await session.queryAsync('SELECT 1').catch(() => undefined);
    throw error;
  } finally {
    const next = waiting.shift();
    if (next === undefined) idle.push(session);
    else next(session);
  }
}

function isKnown({ headers }) {
  const [, basic = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
  return Buffer.from(basic, 'base64').toString() === `${user}:${password}`;
}

async function textOf(request) {
  const parts = [];
  await whole(request, async (body) => {
    for await (const part of body) parts.push(part);
  });
  return Buffer.concat(parts).toString('utf8');
}

/** Writes rows into a file, because the engine takes twice as long for rows inside of a statement. */
async function fileOf(request) {
  files += 1;
  const file = join(home, `rows-${files}`);
  await whole(request, (body) => pipeline(body, createWriteStream(file))).catch(async (error) => {
    await rm(file, { force: true });
    throw error;
  });
  return file;
}

/** Reads a whole request. A request that breaks off is not executed. */
async function whole(request, take) {
  const isTaken = await take(request).then(
    () => true,
    (error) => {
      if (request.complete) throw error;
    },
  );
  if (!isTaken || !request.complete)
    throw new Error('Code: 210. DB::Exception: the request broke off. (NETWORK_ERROR)');
}

async function execute(session, searchParams, { text, file }) {
  for (const [name, value] of searchParams) {
    if (Buffer.byteLength(value) > MOST_VALUE_BYTES)
      throw new Error(`Code: 1000. DB::Exception: Field value too long: ${name}. (POCO_EXCEPTION)`);
  }
  const settings = [...searchParams].filter(
    ([name]) => !PARAMETERS.has(name) && !HTTP_SETTINGS.has(name) && !name.startsWith('param_'),
  );
  const values = new Map(
    [...searchParams].filter(([name]) => name.startsWith('param_')).map(([name, value]) => [name.slice(6), value]),
  );
  const options = { format: searchParams.get('default_format') ?? 'TabSeparated' };
  if (file === undefined) {
    const begin = performance.now();
    const result = await session.queryAsync(withValues(withSettings(text, settings), values), options);
    // At the time limit the engine may return the rows that it has so far as if they were all. A real server fails
    // instead.
    const seconds = Number(searchParams.get('max_execution_time') ?? Infinity);
    if (performance.now() - begin >= seconds * 1_000)
      throw new Error(`Code: 159. DB::Exception: Timeout exceeded: maximum: ${seconds} s. (TIMEOUT_EXCEEDED)`);
    return result.bytes();
  }
  if ((await stat(file)).size === 0) return '';
  const statement = beforeFormat(searchParams.get('query'), `FROM INFILE '${file}'`);
  // The engine would make smaller blocks of a file than of a request.
  const sql = withSettings(statement, [...settings, ['max_block_size', '1048449']]);
  const result = await session.queryAsync(withValues(sql, values), options);
  return result.bytes();
}

/**
 * Writes the values into the statement. The engine executes statements with separate values one at a time, across all
 * sessions.
 */
function withValues(statement, values) {
  return statement.replace(/\{(\w+): ?([^}]+)\}/g, (all, name, type) =>
    values.has(name) ? literalOf(values.get(name), type) : all,
  );
}

const ESCAPED = { t: '\t', n: '\n', r: '\r' };

/** The interface expects escaped texts, and arrays in the syntax of a statement. */
function literalOf(text, type) {
  const value = type.startsWith('Array(') ? text : text.replace(/\\([^])/g, (_, sign) => ESCAPED[sign] ?? sign);
  const literal = `'${value.replace(/[\\']/g, '\\$&')}'`;
  return type === 'String' ? literal : `CAST(${literal} AS ${type})`;
}

/** Writes the settings into the statement, because a setting of the session would also apply to the next statement. */
function withSettings(statement, settings) {
  if (settings.length === 0) return statement;
  if (!/^\s*(?:INSERT|SELECT)\b/.test(statement))
    throw new Error('Code: 115. DB::Exception: no settings here. (UNKNOWN_SETTING)');
  const list = settings.map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`).join(', ');
  return beforeFormat(statement, `SETTINGS ${list}`);
}

function beforeFormat(statement, clause) {
  return statement.replace(/\s+FORMAT\s+\w+\s*$/, (format) => ` ${clause}${format}`);
}
