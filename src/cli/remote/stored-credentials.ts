import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandFailure } from './failure.js';

/** The stored credentials of one service. */
export interface Stored {
  readonly access_token?: string;
  readonly refresh_token?: string;
  /** The end of the access token, in milliseconds of Unix time. */
  readonly expires_at?: number;
  readonly api_key?: string;
}

interface StoredFile {
  /** The address of the last login. */
  readonly current?: string;
  readonly services: Readonly<Record<string, Stored>>;
}

/** The file of credentials in the configuration folder of the user, readable by the user alone. */
export class CredentialFile {
  readonly path: string;

  constructor({ XDG_CONFIG_HOME: folder }: NodeJS.ProcessEnv) {
    // The XDG specification says that relative paths are ignored.
    const base = folder?.startsWith('/') ? folder : join(homedir(), '.config');
    this.path = join(base, 'oes', 'credentials.json');
  }

  /** Returns the content, which is empty when there is no file. @throws {CommandFailure} if it cannot be read */
  async read(): Promise<StoredFile> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { services: {} };
      throw new CommandFailure(`${this.path} cannot be read: ${(error as Error).message}`);
    }
    try {
      return { services: {}, ...(JSON.parse(text) as Partial<StoredFile>) };
    } catch {
      throw new CommandFailure(`${this.path} is damaged. Delete it and sign in again with "oes login".`);
    }
  }

  /** Replaces the credentials of one service. Another process reads the old file or the new one, never half of one. */
  async store(address: string, stored: Stored, { isCurrent = false } = {}): Promise<void> {
    const file = await this.read();
    const current = isCurrent ? address : file.current;
    const services = { ...file.services, [address]: { ...file.services[address], ...stored } };
    const temporary = `${this.path}.${process.pid}`;
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await writeFile(temporary, `${JSON.stringify({ current, services }, null, 2)}\n`, { mode: 0o600 });
    await chmod(temporary, 0o600);
    await rename(temporary, this.path);
  }
}
