import { SsoFault } from '../sso-fault.js';

/** A response that is refused. The message goes to the log and to the security event, so it quotes nothing of the response. */
export class SamlFault extends SsoFault {
  constructor(message: string) {
    super('sso_failed', message);
  }
}
