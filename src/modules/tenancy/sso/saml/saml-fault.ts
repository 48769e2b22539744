import { SsoFault } from '../sso-fault.js';

/**
 * A refused response. The message goes to the log and to the security event, so it must not contain text of the
 * response.
 */
export class SamlFault extends SsoFault {
  constructor(message: string) {
    super('sso_failed', message);
  }
}
