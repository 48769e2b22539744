import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDeletionService } from './account-deletion.service.js';
import { CredentialsWriter } from './credentials.writer.js';
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
    ProfilesWriter,
    RegistrationsWriter,
    UsersReader,
    UsersRepository,
  ],
  exports: [AccountDeletionService, CredentialsWriter, ProfilesWriter, RegistrationsWriter, UsersReader],
})
export class UsersModule {}
