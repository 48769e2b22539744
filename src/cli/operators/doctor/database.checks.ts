import { type Config, type CredentialKey, generatedCredentialKey } from '../../../config/index.js';
import { CredentialCipher } from '../../../platform/crypto/index.js';
import { SealedColumn } from '../../../platform/sealed-columns/sealed-column.js';
import { DoctorDatabase, type MigrationFacts, type ServerFacts } from './database.reader.js';
import { failed, ok, skipped, type Verdict, warning } from './finding.js';

const STATEMENT_LIMIT_MS = 3_000;
const OLDEST_VERSION = 150_000;
/** Connections of a process besides its pool: background work, notifications and the queue. */
const CONNECTIONS_APART = 14;
/**
 * Clock differences in milliseconds: above the first, the check warns, and above the second, it fails. Authenticator
 * codes and signatures tolerate half a minute.
 */
const NOTABLE_MS = 2_000;
const WRONG_MS = 30_000;
const CHANNEL = { table: 'delivery_channels', tenant: 'project_id' } as const;
const DESTINATION = { table: 'alert_destinations', tenant: 'project_id' } as const;

/** Every encrypted column. A test compares the list with the columns of the application. */
export const SEALED_COLUMNS = [
  new SealedColumn({ table: 'totp_factors', column: 'secret', tenant: 'user_id' }),
  new SealedColumn({ table: 'sso_connections', column: 'client_secret', tenant: 'organization_id' }),
  new SealedColumn({ table: 'sso_sessions', column: 'id_token', id: 'session_id', tenant: 'session_id' }),
  new SealedColumn({ table: 'project_secrets', column: 'value', tenant: 'project_id', version: 'version' }),
  new SealedColumn({ table: 'source_hooks', column: 'secret', tenant: 'project_id' }),
  new SealedColumn({
    table: 'delivery_protected_headers',
    column: 'value',
    tenant: 'project_id',
    keyId: 'key_version',
  }),
  new SealedColumn({ ...CHANNEL, column: 'signing_secret' }),
  new SealedColumn({ ...CHANNEL, column: 'previous_signing_secret', boundTo: 'signing_secret' }),
  new SealedColumn({ ...DESTINATION, column: 'secret' }),
  new SealedColumn({ ...DESTINATION, column: 'previous_secret', boundTo: 'secret' }),
  new SealedColumn({ ...DESTINATION, column: 'sealed_url' }),
] as const;

export async function withDatabase<T>(url: string, work: (database: DoctorDatabase) => Promise<T>): Promise<T> {
  const database = await DoctorDatabase.open(url, STATEMENT_LIMIT_MS);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

export function checkDatabase({ database: { poolSize } }: Config, url: string): Promise<Verdict[]> {
  return withDatabase(url, async (database) => {
    const server = await database.server();
    return [
      ...serverVerdicts(server),
      migrationVerdict(await database.migrations()),
      connectionVerdict(server, poolSize + CONNECTIONS_APART),
    ];
  });
}

function serverVerdicts({
  version,
  versionNumber,
  encoding,
  isReplica,
  mayCreate,
  foreignTables,
}: ServerFacts): Verdict[] {
  const verdicts: Verdict[] = [];
  if (versionNumber < OLDEST_VERSION)
    verdicts.push(failed(`PostgreSQL ${version} is too old.`, 'Use PostgreSQL 15 or newer.'));
  if (encoding !== 'UTF8')
    verdicts.push(failed(`The database has the encoding ${encoding}.`, 'Create the database with the encoding UTF8.'));
  if (isReplica)
    verdicts.push(
      failed('The server is a replica, which cannot be written.', 'Set DATABASE_URL to the primary server.'),
    );
  if (!mayCreate)
    verdicts.push(
      failed('The role may not create tables, which migrations do.', 'Make the role the owner of the database.'),
    );
  if (foreignTables > 0)
    verdicts.push(
      failed(
        `${foreignTables} tables belong to another role.`,
        'Set DATABASE_URL to the role that ran the first migrations, or make this role their owner (REASSIGN OWNED).',
      ),
    );
  return verdicts.length > 0 ? verdicts : [ok(`PostgreSQL ${version} answers, and the role may change its tables.`)];
}

function migrationVerdict({ missing, unknown }: MigrationFacts): Verdict {
  if (missing.length > 0 && unknown > 0)
    return failed(
      `${missing.length} migrations are not applied, first ${missing[0] ?? ''}, and ${unknown} applied ones are of another version of the service.`,
      'Start a version that has both.',
    );
  if (missing.length > 0)
    return failed(`${missing.length} migrations are not applied, first ${missing[0] ?? ''}.`, 'Run `migrate`.');
  if (unknown > 0)
    return warning(
      `${unknown} migrations are of a newer version of the service.`,
      'Run the doctor of the newest version. Older processes may work beside newer ones during an upgrade only.',
    );
  return ok('Every migration is applied.');
}

function connectionVerdict({ mostConnections, usedConnections }: ServerFacts, ofProcess: number): Verdict {
  const processes = Math.floor(mostConnections / ofProcess);
  const facts = `The server takes ${mostConnections} connections, of which ${usedConnections} are open. One process opens up to ${ofProcess}.`;
  const advice = 'Raise max_connections, lower DATABASE_POOL_SIZE, or put a pooler in between.';
  if (processes < 1) return failed(facts, advice);
  if (usedConnections > mostConnections * 0.9) return warning(`${facts} It is nearly full.`, advice);
  return ok(`${facts} That is enough for ${processes} processes.`);
}

/** Compares the clock of this machine with another one, which is read by `read`. */
export async function checkClock(of: string, read: () => Promise<number>): Promise<Verdict> {
  const before = Date.now();
  const there = await read();
  const after = Date.now();
  // The other clock was read between these two times, so only a time outside of them proves a difference.
  const difference = there < before ? there - before : there > after ? there - after : 0;
  const seconds = `${(Math.abs(difference) / 1_000).toFixed(1)} seconds`;
  const facts = `The clock of ${of} is ${seconds} ${difference < 0 ? 'behind' : 'ahead of'} this machine.`;
  const advice = 'Synchronize the clocks of all machines, for example by chrony.';
  if (Math.abs(difference) > WRONG_MS) return failed(facts, advice);
  if (Math.abs(difference) > NOTABLE_MS) return warning(facts, advice);
  return ok(`The clocks of this machine and ${of} agree.`);
}

export async function checkEncryption(config: Config, url: string): Promise<Verdict[]> {
  const keys = config.credentialKeys ?? generatedKeys(config);
  return withDatabase(url, async (database) => {
    if ((await database.migrations()).missing.length > 0)
      return [skipped('The database lacks migrations, so no stored value was decrypted.')];
    const known = keys === 'disabled' ? [] : keys.map(({ id }) => id);
    const unknown = new Set<string>();
    for (const column of SEALED_COLUMNS) for (const id of await database.otherKeys(column, known)) unknown.add(id);
    if (unknown.size > 0)
      return [
        failed(
          `Stored values are encrypted with keys that are not configured: ${[...unknown].join(', ')}.`,
          'Add these keys to CREDENTIAL_ENCRYPTION_KEYS, behind the first one.',
        ),
      ];
    if (keys === 'disabled')
      return [
        warning(
          'Encryption is turned off: secrets, protected headers and authenticator apps cannot be used.',
          'Set CREDENTIAL_ENCRYPTION_KEYS to a key.',
        ),
      ];
    if (keys.length === 0) return [skipped('No key was generated yet, and nothing is encrypted.')];
    return [await decryptSamples(database, new CredentialCipher({ keys: [...keys] }))];
  });
}

async function decryptSamples(database: DoctorDatabase, cipher: CredentialCipher): Promise<Verdict> {
  let opened = 0;
  const broken: string[] = [];
  for (const column of SEALED_COLUMNS) {
    for (const row of await database.sample(column)) {
      try {
        cipher.decrypt(row.value, column.placeOf(row));
        opened += 1;
      } catch {
        broken.push(`${column.shape.table}.${column.shape.column}`);
      }
    }
  }
  if (broken.length === 0) return ok(`The keys decrypt what is stored (${opened} values tried).`);
  return failed(
    `${broken.length} of ${opened + broken.length} stored values cannot be decrypted, in ${[...new Set(broken)].join(', ')}.`,
    'Configure the keys of the service whose data this is: the id of a key now belongs to another key.',
  );
}

function generatedKeys(config: Config): readonly CredentialKey[] {
  const key = generatedCredentialKey(config);
  return key === null ? [] : [key];
}
