import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDeletionService } from './account-deletion.service.js';
import { User } from './user.entity.js';
import { UsersRepository } from './users.repository.js';

@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([User])],
  providers: [AccountDeletionService, UsersRepository],
  exports: [AccountDeletionService, UsersRepository],
})
export class UsersModule {}
