import { DateTimeField, TextField, UuidField } from '../../../../platform/http/validation/index.js';
import type { TrustedDevice } from './trusted-device.entity.js';

/** Headers of routes that accept the token of a trusted device. */
export class TrustedDeviceHeaders {
  @TextField({
    name: 'X-Trusted-Device-Token',
    optional: true,
    max: 512,
    secret: true,
    description: 'Token of a trusted device, in place of the second factor; the form field does the same',
  })
  trusted_device_token?: string;
}

export class TrustedDeviceResponse {
  @UuidField({})
  id!: string;

  @TextField({ nullable: true, description: 'Address it was trusted from' })
  ip!: string | null;

  @TextField({ nullable: true, description: 'What the client called itself' })
  user_agent!: string | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ description: 'When it last stood for the second factor' })
  last_used_at!: string;

  @DateTimeField({ description: '30 days after it was trusted' })
  expires_at!: string;
}

export function trustedDeviceResponse(device: TrustedDevice): TrustedDeviceResponse {
  return {
    id: device.id,
    ip: device.ip,
    user_agent: device.userAgent,
    created_at: device.createdAt.toISOString(),
    last_used_at: device.lastUsedAt.toISOString(),
    expires_at: device.expiresAt.toISOString(),
  };
}
