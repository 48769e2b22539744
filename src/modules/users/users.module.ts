import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { User } from './user.entity.js';
import { UsersRepository } from './users.repository.js';

@Module({ imports: [TypeOrmModule.forFeature([User])], providers: [UsersRepository], exports: [UsersRepository] })
export class UsersModule {}
