import type { Provider } from '@nestjs/common';
import { join } from 'node:path';
import { CONFIG, type Config, RUNTIME_SECRETS, type RuntimeSecrets } from './config/index.js';
import { BackgroundWork } from './platform/background/background-work.js';
import { CredentialCipher, Passwords } from './platform/crypto/index.js';
import { Database, DATABASE_URL } from './platform/database/database.js';
import { CaptureMailer, type Mailer, SmtpMailer } from './platform/mail/index.js';
import { type Logger, Metrics } from './platform/telemetry/index.js';

/** The input of an instance: the frozen configuration, its secrets and the address of its database. */
export interface Runtime {
  readonly config: Config;
  readonly secrets: RuntimeSecrets;
  readonly databaseUrl: string;
  readonly logger: Logger;
}

/** The part of the platform that the service and the commands of operators have in common. */
export function baseProviders({ config, secrets, databaseUrl }: Omit<Runtime, 'logger'>): Provider[] {
  const { credentialKeys } = secrets;
  const keys = credentialKeys === 'disabled' ? credentialKeys : { keys: [...credentialKeys] };
  return [
    { provide: CONFIG, useValue: config },
    { provide: RUNTIME_SECRETS, useValue: secrets },
    { provide: DATABASE_URL, useValue: databaseUrl },
    { provide: CredentialCipher, useFactory: () => new CredentialCipher(keys) },
    { provide: Passwords, useFactory: () => new Passwords() },
    { provide: Metrics, useFactory: () => new Metrics() },
    Database,
    BackgroundWork,
  ];
}

/** The tokens of {@link baseProviders}. */
export const BASE_TOKENS = [
  ...[CONFIG, RUNTIME_SECRETS, DATABASE_URL],
  ...[CredentialCipher, Passwords, Metrics, Database, BackgroundWork],
];

export function mailerOf({ mail: { smtpUrl, from }, dataDir }: Config): Mailer {
  return smtpUrl === undefined
    ? new CaptureMailer({ dir: join(dataDir.path, 'outbox'), from })
    : new SmtpMailer({ url: smtpUrl, from });
}
