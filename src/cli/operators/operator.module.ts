import { type DynamicModule, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BASE_TOKENS, baseProviders, mailerOf, type Runtime } from '../../base-providers.js';
import { resolveSecrets } from '../../config/index.js';
import { ApiKeysModule } from '../../modules/entitlement/api-keys/index.js';
import { BillingModule } from '../../modules/entitlement/billing/index.js';
import { ObjectRemovalModule } from '../../modules/entitlement/storage/index.js';
import { AccountModule } from '../../modules/identity/account/index.js';
import { AuditModule } from '../../modules/identity/audit/index.js';
import { InvitationsModule } from '../../modules/tenancy/invitations/index.js';
import { OrganizationsModule } from '../../modules/tenancy/organizations/index.js';
import { ProjectsModule } from '../../modules/tenancy/projects/index.js';
import { SsoRemovalModule } from '../../modules/tenancy/sso/index.js';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { Clock, SystemClock } from '../../platform/clock/index.js';
import { Database } from '../../platform/database/database.js';
import { NotificationBus } from '../../platform/database/notification-bus.js';
import { typeOrmOptions } from '../../platform/database/typeorm.options.js';
import { Mailer } from '../../platform/mail/index.js';

/** A command runs one statement at a time, in addition to the e-mails that it causes. */
const POOL_SIZE = 3;

export type OperatorRuntime = Omit<Runtime, 'secrets'>;

/** Sends the mails that a command has caused, then closes the connections. */
class OperatorShutdown implements OnApplicationShutdown {
  constructor(
    private readonly background: BackgroundWork,
    private readonly notifications: NotificationBus,
    private readonly mailer: Mailer,
    private readonly database: Database,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.background.drain();
    await Promise.all([this.notifications.close(), this.mailer.close(), this.database.closeApart()]);
  }
}

/**
 * The part of the platform that accounts, organizations and keys need. It has no queue, HTTP server or object store, so
 * that a command starts quickly and works while these are unavailable.
 */
@Global()
@Module({})
class OperatorPlatformModule {
  static for({ config, databaseUrl, logger }: OperatorRuntime): DynamicModule {
    const options = { url: databaseUrl, poolSize: POOL_SIZE, applicationName: 'service-command' };
    return {
      module: OperatorPlatformModule,
      imports: [TypeOrmModule.forRootAsync({ useFactory: () => ({ ...typeOrmOptions(options), retryAttempts: 0 }) })],
      providers: [
        ...baseProviders({ config, secrets: resolveSecrets(config), databaseUrl }),
        { provide: Clock, useFactory: () => new SystemClock() },
        { provide: Mailer, useFactory: () => mailerOf(config) },
        // A command publishes notifications in its transactions and listens to none, so the bus is not started.
        {
          provide: NotificationBus,
          useFactory: () =>
            new NotificationBus({ databaseUrl, onError: (error) => logger.warn('notices', { err: error }) }),
        },
        {
          provide: OperatorShutdown,
          useFactory: (
            background: BackgroundWork,
            notifications: NotificationBus,
            mailer: Mailer,
            database: Database,
          ) => new OperatorShutdown(background, notifications, mailer, database),
          inject: [BackgroundWork, NotificationBus, Mailer, Database],
        },
      ],
      exports: [...BASE_TOKENS, Clock, Mailer, NotificationBus],
    };
  }
}

/**
 * The modules whose services the operators' commands use. It includes every module that handles the deletion of an
 * organization or project, because the services call only the handlers of this application. A test compares these
 * handlers with those of the service.
 */
@Module({})
export class OperatorModule {
  static for(runtime: OperatorRuntime): DynamicModule {
    return {
      module: OperatorModule,
      imports: [
        OperatorPlatformModule.for(runtime),
        AuditModule,
        AccountModule,
        OrganizationsModule,
        InvitationsModule,
        ProjectsModule,
        ApiKeysModule,
        BillingModule,
        ObjectRemovalModule,
        SsoRemovalModule,
      ],
    };
  }
}
