import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../../organizations/index.js';
import { SsoModule } from '../sso.module.js';
import { OidcController } from './oidc.controller.js';
import { OidcLogoutService } from './oidc-logout.service.js';
import { OidcPartiesService } from './oidc-parties.service.js';
import { OidcSignInService } from './oidc-sign-in.service.js';
import { SsoDiscoveryService } from './sso-discovery.service.js';

/** Sign-in through OpenID Connect providers of companies. */
@Module({
  imports: [OrganizationsModule, SsoModule],
  controllers: [OidcController],
  providers: [OidcLogoutService, OidcPartiesService, OidcSignInService, SsoDiscoveryService],
  exports: [OidcLogoutService, SsoDiscoveryService],
})
export class SsoOidcModule {}
