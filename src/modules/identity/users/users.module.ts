import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDeletion } from './on-account-deleted.js';
import { User } from './user.entity.js';
import { UsersRepository } from './users.repository.js';

@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([User])],
  providers: [AccountDeletion, UsersRepository],
  exports: [AccountDeletion, UsersRepository],
})
export class UsersModule {}
