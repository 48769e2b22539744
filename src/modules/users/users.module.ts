import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountHooks } from './account-hooks.js';
import { User } from './user.entity.js';
import { UsersRepository } from './users.repository.js';

@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([User])],
  providers: [AccountHooks, UsersRepository],
  exports: [AccountHooks, UsersRepository],
})
export class UsersModule {}
