import {
  BooleanField,
  DateTimeField,
  ListField,
  NestedField,
  ObjectField,
  text,
  TextField,
  UuidField,
  NameField,
} from '../../../../platform/http/validation/index.js';
import { RegistrationCredential } from './credentials.dto.js';
import type { Passkey } from './passkey.entity.js';

const name = { example: 'Laptop' };

/**
 * The options for the browser, and the token that the client sends back with the credential. Every WebAuthn ceremony
 * uses this response.
 */
export class CeremonyResponse {
  @TextField({ description: 'Sent back with the credential; five minutes, once' })
  challenge_token!: string;

  @ObjectField({ description: 'Options in WebAuthn’s JSON form, for parseRequestOptionsFromJSON() and its sister' })
  options!: Record<string, unknown>;
}

export class RegisterPasskeyRequest {
  @NestedField(() => RegistrationCredential, {
    description: 'What the authenticator answered, in WebAuthn’s JSON form',
  })
  credential!: RegistrationCredential;

  @TextField({
    min: 1,
    max: 512,
    optional: true,
    secret: true,
    description: 'When sent, it must be that of the options',
  })
  challenge_token?: string;

  @NameField({
    ...name,
    optional: true,
    default: 'Passkey',
    description: 'Name of the passkey, such as the device it lies on',
  })
  name!: string;
}

export class RenamePasskeyRequest {
  @NameField({ ...name, description: 'Name of the passkey, such as the device it lies on' })
  name!: string;
}

export class PasskeyResponse {
  @UuidField({})
  id!: string;

  @TextField({ description: 'Name of the passkey, such as the device it lies on' })
  name!: string;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ nullable: true, description: 'When it was last used; null: never yet' })
  last_used_at!: string | null;

  @BooleanField({ description: 'The authenticator keeps copies elsewhere' })
  backed_up!: boolean;

  @ListField(text({}), {
    example: ['internal'],
    description: 'How the authenticator can be reached, as WebAuthn calls it',
  })
  transports!: string[];
}

export class RegisteredPasskeyResponse extends PasskeyResponse {
  @ListField(text({}), {
    optional: true,
    description: 'Ten, when the account had none left; shown in this answer and never again',
  })
  recovery_codes?: string[];
}

export function passkeyResponse(passkey: Passkey): PasskeyResponse {
  return {
    id: passkey.id,
    name: passkey.name,
    created_at: passkey.createdAt.toISOString(),
    last_used_at: passkey.lastUsedAt?.toISOString() ?? null,
    backed_up: passkey.backedUp,
    transports: passkey.transports,
  };
}
