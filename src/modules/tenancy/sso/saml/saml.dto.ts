import { TextField } from '../../../../platform/http/validation/index.js';

export class SamlStartQuery {
  @TextField({
    optional: true,
    max: 2_000,
    description: 'An address below `/console` to which the browser returns. Any other is ignored.',
  })
  return_to?: string;
}
