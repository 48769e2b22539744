import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  updateAccount: {
    request: { type: 'application/json', value: { name: 'Ada King' } },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-79af-8000-000000000001',
        email: 'ada@acme.example',
        name: 'Ada King',
        email_verified: true,
        two_factor_enabled: false,
        passkey_count: 0,
        has_password: true,
        is_platform_admin: false,
        pending_plan: null,
        selected_project_id: null,
        created_at: '2026-03-02T04:10:32.000Z',
      },
    },
  },
  deleteAccount: {
    request: { type: 'application/json', value: { current_password: 'correct-horse-battery' } },
    answer: { type: 'application/json', value: { message: 'The account is closed' } },
  },
  confirmEmailChange: {
    request: { type: 'application/json', value: { token: 'Example-token-00000000000000000000000000000' } },
    answer: { type: 'application/json', value: { message: 'The address is changed', email: 'ada@acme.example' } },
  },
  requestEmailChange: {
    request: {
      type: 'application/json',
      value: { email: 'ada@acme.example', current_password: 'correct-horse-battery' },
    },
    answer: { type: 'application/json', value: { message: 'If the address can be used, a mail is on its way to it' } },
  },
  listPasskeys: {
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-74b9-8000-000000000001',
          name: 'Laptop',
          created_at: '2026-03-02T00:59:46.000Z',
          last_used_at: '2026-03-02T00:59:48.000Z',
          backed_up: false,
          transports: ['internal', 'hybrid'],
        },
      ],
    },
  },
  createPasskeyOptions: {
    request: { type: 'application/json', value: {} },
    answer: {
      type: 'application/json',
      value: {
        challenge_token: 'Example-challenge-token-0000000000000000000',
        options: {
          challenge: 'Example-challenge-0000000000000000000000000',
          rp: { name: 'Operational Event Service', id: 'acme.example' },
          user: { id: 'Example-id-00000000000', name: 'ada@acme.example', displayName: 'ada@acme.example' },
          pubKeyCredParams: [
            { alg: -8, type: 'public-key' },
            { alg: -7, type: 'public-key' },
          ],
          timeout: 300000,
          attestation: 'none',
          excludeCredentials: [
            { id: 'Example-id-00000000000000000000000000000000', transports: ['internal'], type: 'public-key' },
          ],
          authenticatorSelection: {
            residentKey: 'preferred',
            userVerification: 'preferred',
            requireResidentKey: false,
          },
          extensions: { credProps: true },
          hints: [],
        },
      },
    },
  },
  createPasskey: {
    request: {
      type: 'application/json',
      value: {
        challenge_token: 'Example-challenge-token-0000000000000000000',
        credential: {
          authenticatorAttachment: 'platform',
          clientExtensionResults: { credProps: { rk: true } },
          id: 'Example-id-00000000000000000000000000000000',
          rawId: 'Example-rawId-00000000000000000000000000000',
          response: {
            attestationObject: 'Example-attestationObject-00000000000000000000000000000000000000',
            authenticatorData: 'Example-authenticatorData-00000000000000000000000000000000000000',
            clientDataJSON: 'Example-clientDataJSON-00000000000000000000000000000000000000000',
            publicKey: 'Example-publicKey-00000000000000000000000000000000000000000',
            publicKeyAlgorithm: -8,
            transports: ['internal'],
          },
          type: 'public-key',
        },
        name: 'This browser',
      },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7a12-8000-000000000001',
        name: 'This browser',
        created_at: '2026-03-02T01:07:21.000Z',
        last_used_at: null,
        backed_up: false,
        transports: ['internal'],
        recovery_codes: [
          'aaaa-bbbb-cccc-dddd-eeee-0001',
          'aaaa-bbbb-cccc-dddd-eeee-0002',
          'aaaa-bbbb-cccc-dddd-eeee-0003',
          'aaaa-bbbb-cccc-dddd-eeee-0004',
        ],
      },
    },
  },
  updatePasskey: {
    request: { type: 'application/json', value: { name: 'Work laptop' } },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-74b9-8000-000000000001',
        name: 'Work laptop',
        created_at: '2026-03-02T01:05:43.000Z',
        last_used_at: null,
        backed_up: false,
        transports: ['internal', 'hybrid'],
      },
    },
  },
  deletePasskey: {
    parameters: { passkey_id: '019cadc6-9a80-74b9-8000-000000000001' },
    request: {
      type: 'application/json',
      value: { current_password: 'correct-horse-battery', recovery_code: 'aaaa-bbbb-cccc-dddd-eeee-0001' },
    },
    answer: { type: 'application/json', value: { message: 'The passkey is removed' } },
  },
  changePassword: {
    request: {
      type: 'application/json',
      value: { password: 'correct-horse-battery', current_password: 'correct-horse-battery', code: '123456' },
    },
    answer: { type: 'application/json', value: { message: 'The password is changed; other sessions are revoked' } },
  },
  listSecurityEvents: {
    parameters: { limit: 100 },
    answer: {
      type: 'application/json',
      value: {
        items: [
          {
            id: '019cadc6-9a80-7797-8000-000000000001',
            type: 'signed_in',
            ip: '203.0.113.7',
            user_agent: null,
            created_at: '2026-03-02T04:08:35.000Z',
            detail: { method: 'password', session_id: '019cadc6-9a80-73f3-8000-000000000001' },
          },
          {
            id: '019cadc6-9a80-7797-8000-000000000002',
            type: 'email_changed',
            ip: '203.0.113.7',
            user_agent: null,
            created_at: '2026-03-02T04:08:35.000Z',
            detail: { email: 'ada@acme.example' },
          },
        ],
        total: 6,
        limit: 100,
        offset: 0,
      },
    },
  },
  listTrustedDevices: {
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-7263-8000-000000000001',
          ip: '203.0.113.7',
          user_agent: null,
          created_at: '2026-03-02T01:03:14.000Z',
          last_used_at: '2026-03-02T01:03:15.000Z',
          expires_at: '2026-04-01T01:03:14.000Z',
        },
        {
          id: '019cadc6-9a80-7263-8000-000000000002',
          ip: '203.0.113.7',
          user_agent: null,
          created_at: '2026-03-02T01:03:14.000Z',
          last_used_at: '2026-03-02T01:03:15.000Z',
          expires_at: '2026-04-01T01:03:14.000Z',
        },
      ],
    },
  },
  revokeTrustedDevice: {
    parameters: { device_id: '019cadc6-9a80-7263-8000-000000000001' },
    answer: { type: 'application/json', value: { message: 'The device is no longer trusted' } },
  },
  getTwoFactor: {
    answer: {
      type: 'application/json',
      value: { enabled: false, pending: false, passkey_count: 0, recovery_codes_remaining: 0 },
    },
  },
  disableTwoFactor: {
    request: { type: 'application/json', value: { current_password: 'correct-horse-battery', code: '123456' } },
    answer: {
      type: 'application/json',
      value: { enabled: false, pending: false, passkey_count: 0, recovery_codes_remaining: 0 },
    },
  },
  enableTwoFactor: {
    request: { type: 'application/json', value: { code: '123456' } },
    answer: {
      type: 'application/json',
      value: { enabled: true, pending: false, passkey_count: 0, recovery_codes_remaining: 10 },
    },
  },
  regenerateRecoveryCodes: {
    request: { type: 'application/json', value: { current_password: 'correct-horse-battery', code: '123456' } },
    answer: {
      type: 'application/json',
      value: {
        recovery_codes: [
          'aaaa-bbbb-cccc-dddd-eeee-0001',
          'aaaa-bbbb-cccc-dddd-eeee-0002',
          'aaaa-bbbb-cccc-dddd-eeee-0003',
          'aaaa-bbbb-cccc-dddd-eeee-0004',
        ],
      },
    },
  },
  setUpTwoFactor: {
    request: { type: 'application/json', value: { current_password: 'correct-horse-battery' } },
    answer: {
      type: 'application/json',
      value: {
        secret: 'JBSWY3DPEHPK3PXP',
        otpauth_url:
          'otpauth://totp/Operational%20Event%20Service:ada%40acme.example?secret=JBSWY3DPEHPK3PXP&issuer=Operational%20Event%20Service',
        recovery_codes: [
          'aaaa-bbbb-cccc-dddd-eeee-0001',
          'aaaa-bbbb-cccc-dddd-eeee-0002',
          'aaaa-bbbb-cccc-dddd-eeee-0003',
          'aaaa-bbbb-cccc-dddd-eeee-0004',
        ],
      },
    },
  },
};
