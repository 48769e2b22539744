import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { SsoConnection } from '../sso-connection.entity.js';
import { issuerOf } from '../sso-sign-in.service.js';

/** Removes the links between accounts and their identities at a connection. */
@Injectable()
export class ConnectionIdentitiesRepository {
  constructor(private readonly database: Database) {}

  /** @returns the number of accounts that lose their link */
  removeOf(connection: SsoConnection, tx: Db): Promise<number> {
    return this.database.execute(
      'DELETE FROM oauth_identities WHERE issuer = $1 /* tenant: everybody whom this connection brought */',
      [issuerOf(connection)],
      tx,
    );
  }
}
