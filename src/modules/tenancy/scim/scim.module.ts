import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SsoModule } from '../sso/index.js';
import { ScimGroupMember } from './scim-group-member.entity.js';
import { ScimGroup } from './scim-group.entity.js';
import { ScimToken } from './scim-token.entity.js';
import { ScimUser } from './scim-user.entity.js';

@Module({
  imports: [SsoModule, TypeOrmModule.forFeature([ScimGroup, ScimGroupMember, ScimToken, ScimUser])],
})
export class ScimModule {}
