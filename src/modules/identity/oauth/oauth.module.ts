import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SecondFactorsModule } from '../second-factors/index.js';
import { SecurityEventsModule } from '../security-events/index.js';
import { SessionsModule } from '../sessions/index.js';
import { UsersModule } from '../users/index.js';
import { AccountAdmission } from './account-admission.js';
import { AuthorizationService } from './authorization.service.js';
import { IdentitiesOnReset } from './identities-on-reset.js';
import { OAuthController } from './oauth.controller.js';
import { OAuthIdentitiesRepository } from './oauth-identities.repository.js';
import { OAuthIdentity } from './oauth-identity.entity.js';
import { OAuthPendingLink } from './oauth-pending-link.entity.js';
import { OAuthSignInService } from './oauth-sign-in.service.js';
import { OAuthStart } from './oauth-start.entity.js';
import { OAuthStartsRepository } from './oauth-starts.repository.js';
import { OAuthUsedNonce } from './oauth-used-nonce.entity.js';
import { OAuthPendingLinksRepository } from './oauth-pending-links.repository.js';
import { PendingLinks } from './pending-links.js';
import { Providers } from './providers/providers.js';

@Module({
  imports: [
    SecondFactorsModule,
    SecurityEventsModule,
    SessionsModule,
    UsersModule,
    TypeOrmModule.forFeature([OAuthIdentity, OAuthPendingLink, OAuthStart, OAuthUsedNonce]),
  ],
  controllers: [OAuthController],
  providers: [
    AccountAdmission,
    AuthorizationService,
    IdentitiesOnReset,
    OAuthIdentitiesRepository,
    OAuthPendingLinksRepository,
    OAuthSignInService,
    OAuthStartsRepository,
    PendingLinks,
    Providers,
  ],
})
export class OAuthModule {}
