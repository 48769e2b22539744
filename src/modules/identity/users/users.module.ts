import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDeletionService } from './account-deletion.service.js';
import { CredentialsWriter } from './credentials.writer.js';
import { PasswordPolicy } from './password-policy.js';
import { ProfilesWriter } from './profiles.writer.js';
import { RegistrationsWriter } from './registrations.writer.js';
import { User } from './user.entity.js';
import { UsersReader } from './users.reader.js';
import { UsersRepository } from './users.repository.js';

@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([User])],
  providers: [
    AccountDeletionService,
    CredentialsWriter,
    PasswordPolicy,
    ProfilesWriter,
    RegistrationsWriter,
    UsersReader,
    UsersRepository,
  ],
  exports: [
    AccountDeletionService,
    CredentialsWriter,
    PasswordPolicy,
    ProfilesWriter,
    RegistrationsWriter,
    UsersReader,
  ],
})
export class UsersModule {}
