import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SecondFactorsModule } from '../second-factors/index.js';
import { SecurityEventsModule } from '../security-events/index.js';
import { SessionsModule } from '../sessions/index.js';
import { UsersModule } from '../users/index.js';
import { AccountAdmissionService } from './account-admission.service.js';
import { AuthorizationService } from './authorization.service.js';
import { IdentitiesResetHandler } from './identities-reset.handler.js';
import { LinkedIdentitiesNotifier } from './on-identity-linked.js';
import { OAuthController } from './oauth.controller.js';
import { OAuthIdentitiesRepository } from './oauth-identities.repository.js';
import { OAuthIdentity } from './oauth-identity.entity.js';
import { OAuthPendingLink } from './oauth-pending-link.entity.js';
import { OAuthSignInService } from './oauth-sign-in.service.js';
import { OAuthStart } from './oauth-start.entity.js';
import { OAuthStartsRepository } from './oauth-starts.repository.js';
import { OAuthUsedNonce } from './oauth-used-nonce.entity.js';
import { OAuthPendingLinksRepository } from './oauth-pending-links.repository.js';
import { PendingLinksService } from './pending-links.service.js';
import { ProviderRegistry } from './providers/provider.registry.js';

@Module({
  imports: [
    DiscoveryModule,
    SecondFactorsModule,
    SecurityEventsModule,
    SessionsModule,
    UsersModule,
    TypeOrmModule.forFeature([OAuthIdentity, OAuthPendingLink, OAuthStart, OAuthUsedNonce]),
  ],
  controllers: [OAuthController],
  providers: [
    AccountAdmissionService,
    AuthorizationService,
    IdentitiesResetHandler,
    LinkedIdentitiesNotifier,
    OAuthIdentitiesRepository,
    OAuthPendingLinksRepository,
    OAuthSignInService,
    OAuthStartsRepository,
    PendingLinksService,
    ProviderRegistry,
  ],
  exports: [AccountAdmissionService],
})
export class OAuthModule {}
