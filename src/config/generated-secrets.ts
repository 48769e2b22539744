import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config, CredentialKey } from './config.js';

/** The secrets that the service uses: configured ones, or generated ones in the data folder (never in production). */
export interface RuntimeSecrets {
  readonly jwtPrivateKeys: readonly string[];
  readonly credentialKeys: 'disabled' | readonly CredentialKey[];
}

/** Injection token of {@link RuntimeSecrets}. */
export const RUNTIME_SECRETS = Symbol('RUNTIME_SECRETS');

const CREDENTIAL_KEY_FILE = 'credential-key.txt';

export function resolveSecrets(config: Config): RuntimeSecrets {
  const folder = join(config.dataDir.path, 'secrets');
  return {
    jwtPrivateKeys: config.tokens.privateKeys ?? [
      readOrCreate(folder, 'jwt-signing-key.pem', () =>
        generateKeyPairSync('ec', { namedCurve: 'P-256' })
          .privateKey.export({ type: 'pkcs8', format: 'pem' })
          .toString(),
      ),
    ],
    credentialKeys: config.credentialKeys ?? [
      credentialKeyOf(readOrCreate(folder, CREDENTIAL_KEY_FILE, () => randomBytes(32).toString('base64'))),
    ],
  };
}

/** Returns the generated key of stored credentials, or null when none was generated. Creates nothing. */
export function generatedCredentialKey({ dataDir }: Pick<Config, 'dataDir'>): CredentialKey | null {
  const path = join(dataDir.path, 'secrets', CREDENTIAL_KEY_FILE);
  return existsSync(path) ? credentialKeyOf(readFileSync(path, 'utf8')) : null;
}

function credentialKeyOf(text: string): CredentialKey {
  return { id: 'local', key: Buffer.from(text, 'base64') };
}

/**
 * Returns the text of a file and creates it when it is missing. Two processes may start with one folder: the first to
 * link its file wins, and both read the same text.
 */
function readOrCreate(folder: string, name: string, create: () => string): string {
  const path = join(folder, name);
  if (!existsSync(path)) {
    // The embedded database may run as another user, who needs the data folder. Only the folder of the secrets is
    // private.
    mkdirSync(dirname(folder), { recursive: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const temporary = `${path}.${randomBytes(6).toString('hex')}`;
    writeFileSync(temporary, create(), { mode: 0o600 });
    try {
      linkSync(temporary, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      unlinkSync(temporary);
    }
  }
  return readFileSync(path, 'utf8');
}
