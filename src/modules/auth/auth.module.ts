import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SecondFactorsModule } from '../second-factors/index.js';
import { SessionsModule } from '../sessions/index.js';
import { UsersModule } from '../users/index.js';
import { AuthController } from './auth.controller.js';
import { AuthMails } from './auth-mails.js';
import { RegistrationService } from './registration.service.js';
import { SignInService } from './sign-in.service.js';
import { UserToken } from './user-token.entity.js';
import { UserTokensRepository } from './user-tokens.repository.js';

@Module({
  imports: [SecondFactorsModule, SessionsModule, UsersModule, TypeOrmModule.forFeature([UserToken])],
  controllers: [AuthController],
  providers: [AuthMails, RegistrationService, SignInService, UserTokensRepository],
})
export class AuthModule {}
