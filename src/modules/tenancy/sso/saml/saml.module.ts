import { Module } from '@nestjs/common';
import { SsoModule } from '../sso.module.js';
import { SamlController } from './saml.controller.js';
import { SamlSignInService } from './saml-sign-in.service.js';

/** Sign-in through SAML 2.0 identity providers of organizations. */
@Module({
  imports: [SsoModule],
  controllers: [SamlController],
  providers: [SamlSignInService],
})
export class SsoSamlModule {}
