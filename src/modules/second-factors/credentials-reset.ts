import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../platform/database/database.js';
import { OnCredentialsReset } from '../sessions/index.js';

/** A new password leaves the second factors as they are, but no device trusted and no sign-in half-finished. */
@Injectable()
export class SecondFactorsOnReset extends OnCredentialsReset {
  constructor(private readonly database: Database) {
    super();
  }

  async credentialsReset(userId: string, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM trusted_devices WHERE user_id = $1', [userId], tx);
    await this.database.execute('DELETE FROM sign_in_challenges WHERE user_id = $1', [userId], tx);
  }
}
