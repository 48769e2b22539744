import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../../access/index.js';
import type { Client } from '../../sessions/index.js';
import { AccountTransactions } from '../account-transactions.js';
import { ChangeProofService, type ProvenChange } from '../change-proof.service.js';
import { ElevatedSessionsService } from '../elevated-sessions.service.js';
import { FactorInventoryReader } from '../factor-inventory.reader.js';
import { PasskeyNotFound } from '../second-factors.errors.js';
import { passkeyResponse, type PasskeyResponse, type RenamePasskeyRequest } from './passkeys.dto.js';
import { PasskeysRepository } from './passkeys.repository.js';

/** Lists, renames and removes the passkeys of an account. */
@Injectable()
export class PasskeysService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly passkeys: PasskeysRepository,
    private readonly proof: ChangeProofService,
    private readonly inventory: FactorInventoryReader,
    private readonly elevatedSessions: ElevatedSessionsService,
  ) {}

  async list(scope: UserScope): Promise<PasskeyResponse[]> {
    return (await this.passkeys.list(scope.userId)).map(passkeyResponse);
  }

  rename(scope: UserScope, id: string, { name }: RenamePasskeyRequest, client: Client): Promise<PasskeyResponse> {
    return this.transactions.runAs(scope, client, async ({ tx, note }) => {
      if (!(await this.passkeys.rename(scope.userId, id, name, tx))) throw new PasskeyNotFound();
      await note('passkey_renamed', { passkey_id: id, name });
      const passkey = await this.passkeys.find(scope.userId, id, tx);
      if (passkey === null) throw new PasskeyNotFound();
      return passkeyResponse(passkey);
    });
  }

  /**
   * Removes a passkey. A second factor is always required, since the passkey is one itself.
   * @throws PasskeyNotFound before any proof is checked
   */
  async remove(id: string, change: ProvenChange): Promise<void> {
    const { scope } = change;
    if ((await this.passkeys.find(scope.userId, id)) === null) throw new PasskeyNotFound();
    await this.proof.run<null>(change, async (act) => {
      const passkey = await this.passkeys.find(scope.userId, id, act.tx);
      if (passkey === null) throw new PasskeyNotFound();
      await this.passkeys.remove(scope.userId, id, act.tx);
      await this.elevatedSessions.endOf(scope.userId, 'passkey', act.tx);
      await act.note('passkey_removed', { passkey_id: id, name: passkey.name });
      await this.inventory.tidy(act);
      return null;
    });
  }
}
