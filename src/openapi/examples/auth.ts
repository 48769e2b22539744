import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  getJwks: {
    answer: {
      type: 'application/json',
      value: {
        keys: [
          {
            kty: 'EC',
            crv: 'P-256',
            x: 'Example-x-000000000000000000000000000000000',
            y: 'Example-y-000000000000000000000000000000000',
            kid: 'Example-kid-0000000000000000000000000000000',
            alg: 'ES256',
            use: 'sig',
          },
        ],
      },
    },
  },
  logIn: {
    request: {
      type: 'application/x-www-form-urlencoded',
      value: { username: 'ada@acme.example', password: 'correct-horse-battery' },
    },
    answer: {
      type: 'application/json',
      value: {
        access_token: 'header.payload.signature',
        refresh_token: 'Example-refresh-token-000000000000000000000',
        access_expires_in: 900,
        refresh_expires_in: 2592000,
        token_type: 'bearer',
      },
    },
  },
  logOut: {
    request: { type: 'application/json', value: { refresh_token: 'Example-refresh-token-000000000000000000000' } },
    answer: { type: 'application/json', value: { message: 'Signed out' } },
  },
  getCurrentUser: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7274-8000-000000000001',
        email: 'ada@acme.example',
        name: 'Ada Lovelace',
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
  listMfaMethods: {
    request: { type: 'application/json', value: { challenge_token: 'Example-challenge-token-0000000000000000000' } },
    answer: { type: 'application/json', value: { methods: ['totp', 'recovery_code'], challenge_expires_in: 300 } },
  },
  createMfaPasskeyOptions: {
    request: { type: 'application/json', value: { challenge_token: 'Example-challenge-token-0000000000000000000' } },
    answer: {
      type: 'application/json',
      value: {
        challenge_token: 'Example-challenge-token-0000000000000000000',
        options: {
          rpId: 'acme.example',
          challenge: 'Example-challenge-0000000000000000000000000',
          allowCredentials: [
            { id: 'Example-id-00000000000000000000000000000000', transports: ['internal'], type: 'public-key' },
          ],
          timeout: 300000,
          userVerification: 'preferred',
        },
      },
    },
  },
  verifyMfaPasskey: {
    request: {
      type: 'application/json',
      value: {
        challenge_token: 'Example-challenge-token-0000000000000000000',
        credential: {
          id: 'Example-id-00000000000000000000000000000000',
          rawId: 'Example-rawId-00000000000000000000000000000',
          type: 'public-key',
          response: {
            clientDataJSON: 'Example-clientDataJSON-00000000000000000000000000000000000000000',
            authenticatorData: 'Example-authenticatorData-000000000000000000000000',
            signature: 'Example-signature-0000000000000000000000000000000000000000000000',
            userHandle: 'Example-userHandle-000',
          },
        },
        remember_device: true,
      },
    },
    answer: {
      type: 'application/json',
      value: {
        access_token: 'header.payload.signature',
        refresh_token: 'Example-refresh-token-000000000000000000000',
        access_expires_in: 900,
        refresh_expires_in: 2592000,
        token_type: 'bearer',
        trusted_device_token: 'Example-trusted-device-token-00000000000000',
      },
    },
  },
  verifyRecoveryCode: {
    request: {
      type: 'application/json',
      value: {
        challenge_token: 'Example-challenge-token-0000000000000000000',
        recovery_code: 'aaaa-bbbb-cccc-dddd-eeee-0001',
        remember_device: true,
      },
    },
    answer: {
      type: 'application/json',
      value: {
        access_token: 'header.payload.signature',
        refresh_token: 'Example-refresh-token-000000000000000000000',
        access_expires_in: 900,
        refresh_expires_in: 2592000,
        token_type: 'bearer',
        trusted_device_token: 'Example-trusted-device-token-00000000000000',
      },
    },
  },
  verifyTotp: {
    request: {
      type: 'application/json',
      value: { challenge_token: 'Example-challenge-token-0000000000000000000', code: '123456', remember_device: true },
    },
    answer: {
      type: 'application/json',
      value: {
        access_token: 'header.payload.signature',
        refresh_token: 'Example-refresh-token-000000000000000000000',
        access_expires_in: 900,
        refresh_expires_in: 2592000,
        token_type: 'bearer',
        trusted_device_token: 'Example-trusted-device-token-00000000000000',
      },
    },
  },
  authorizeOAuth: {
    request: {
      type: 'application/json',
      value: { provider: 'google', redirect_uri: 'https://app.example.com/oauth/callback' },
    },
    answer: {
      type: 'application/json',
      value: {
        authorization_url:
          'https://api.acme.example/auth?scope=openid+email+profile&response_type=code&client_id=service.apps.example.com&redirect_uri=https%3A%2F%2Fapp.example.com%2Foauth%2Fcallback&state=Example-authorization-url-00000000000000000&nonce=start.Example-authorization-url-00000000000000000&code_challenge=Example-authorization-url-00000000000000000&code_challenge_method=S256',
        state: 'Example-state-00000000000000000000000000000',
        nonce: 'start.Example-nonce-00000000000000000000000000000',
        code_verifier: 'Example-code-verifier-000000000000000000000',
      },
    },
  },
  logInWithOAuth: {
    request: {
      type: 'application/json',
      value: {
        provider: 'apple',
        redirect_uri: 'https://app.example.com/oauth/callback',
        code: 'Example-code-000000000000000000000000000000',
        state: 'Example-state-00000000000000000000000000000',
        iss: 'https://api.acme.example',
        nonce: 'start.Example-nonce-00000000000000000000000000000',
        code_verifier: 'Example-code-verifier-000000000000000000000',
        raw_user: { name: { firstName: 'Grace', lastName: 'Hopper' }, email: 'ada@acme.example' },
      },
    },
    answer: {
      type: 'application/json',
      value: {
        access_token: 'header.payload.signature',
        refresh_token: 'Example-refresh-token-000000000000000000000',
        access_expires_in: 900,
        refresh_expires_in: 2592000,
        token_type: 'bearer',
      },
    },
  },
  listOAuthProviders: {
    answer: {
      type: 'application/json',
      value: [
        { provider: 'google', client_id: 'service.apps.example.com' },
        { provider: 'apple', client_id: 'com.example.service' },
      ],
    },
  },
  createPasskeyLoginOptions: {
    answer: {
      type: 'application/json',
      value: {
        challenge_token: 'Example-challenge-token-0000000000000000000',
        options: {
          rpId: 'acme.example',
          challenge: 'Example-challenge-0000000000000000000000000',
          allowCredentials: [],
          timeout: 300000,
          userVerification: 'required',
        },
      },
    },
  },
  logInWithPasskey: {
    request: {
      type: 'application/json',
      value: {
        challenge_token: 'Example-challenge-token-0000000000000000000',
        credential: {
          authenticatorAttachment: 'platform',
          clientExtensionResults: {},
          id: 'Example-id-00000000000000000000000000000000',
          rawId: 'Example-rawId-00000000000000000000000000000',
          response: {
            authenticatorData: 'Example-authenticatorData-000000000000000000000000',
            clientDataJSON: 'Example-clientDataJSON-00000000000000000000000000000000000000000',
            signature: 'Example-signature-0000000000000000000000000000000000000000000000',
            userHandle: 'Example-userHandle-000',
          },
          type: 'public-key',
        },
      },
    },
    answer: {
      type: 'application/json',
      value: {
        access_token: 'header.payload.signature',
        refresh_token: 'Example-refresh-token-000000000000000000000',
        access_expires_in: 900,
        refresh_expires_in: 2592000,
        token_type: 'bearer',
      },
    },
  },
  confirmPasswordReset: {
    request: {
      type: 'application/json',
      value: { token: 'Example-token-00000000000000000000000000000', password: 'correct-horse-battery' },
    },
    answer: { type: 'application/json', value: { message: 'The password is set; sign in with it' } },
  },
  requestPasswordReset: {
    request: { type: 'application/json', value: { email: 'ada@acme.example' } },
    answer: { type: 'application/json', value: { message: 'If the address has an account, a mail is on its way' } },
  },
  validatePasswordReset: {
    request: { type: 'application/json', value: { token: 'Example-token-00000000000000000000000000000' } },
    answer: { type: 'application/json', value: { valid: true } },
  },
  refreshSession: {
    request: { type: 'application/json', value: { refresh_token: 'Example-refresh-token-000000000000000000000' } },
    answer: {
      type: 'application/json',
      value: {
        access_token: 'header.payload.signature',
        refresh_token: 'Example-refresh-token-000000000000000000000',
        access_expires_in: 900,
        refresh_expires_in: 2592000,
        token_type: 'bearer',
      },
    },
  },
  registerAccount: {
    request: {
      type: 'application/json',
      value: { email: 'ada@acme.example', password: 'correct-horse-battery', name: 'Ada Lovelace' },
    },
    answer: {
      type: 'application/json',
      value: {
        message: 'Check your mail to confirm the address',
        email: 'ada@acme.example',
        verification_required: true,
      },
    },
  },
  resendVerification: {
    request: { type: 'application/json', value: { email: 'ada@acme.example' } },
    answer: {
      type: 'application/json',
      value: { message: 'If the address waits for confirmation, a mail is on its way' },
    },
  },
  listSessions: {
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-73f3-8000-000000000001',
          current: false,
          created_at: '2026-03-02T00:58:51.000Z',
          last_used_at: '2026-03-02T00:58:51.000Z',
          expires_at: '2026-04-01T00:58:51.000Z',
          ip: '203.0.113.7',
          user_agent: 'Browser/1.0',
          method: 'password',
        },
        {
          id: '019cadc6-9a80-73f3-8000-000000000002',
          current: true,
          created_at: '2026-03-02T00:58:51.000Z',
          last_used_at: '2026-03-02T00:58:51.000Z',
          expires_at: '2026-04-01T00:58:51.000Z',
          ip: '203.0.113.7',
          user_agent: null,
          method: 'password',
        },
      ],
    },
  },
  revokeOtherSessions: {
    answer: { type: 'application/json', value: { message: 'All other sessions are revoked', revoked: 2 } },
  },
  revokeSession: {
    parameters: { session_id: '019cadc6-9a80-73f3-8000-000000000001' },
    answer: { type: 'application/json', value: { message: 'The session is revoked' } },
  },
  stepUpSession: {
    request: {
      type: 'application/json',
      value: {
        challenge_token: 'Example-challenge-token-0000000000000000000',
        credential: {
          authenticatorAttachment: 'platform',
          clientExtensionResults: {},
          id: 'Example-id-00000000000000000000000000000000',
          rawId: 'Example-rawId-00000000000000000000000000000',
          response: {
            authenticatorData: 'Example-authenticatorData-000000000000000000000000',
            clientDataJSON: 'Example-clientDataJSON-00000000000000000000000000000000000000000',
            signature: 'Example-signature-0000000000000000000000000000000000000000000000',
            userHandle: 'Example-userHandle-000',
          },
          type: 'public-key',
        },
      },
    },
    answer: {
      type: 'application/json',
      value: { step_up_token: 'Example-step-up-token-000000000000000000000', expires_in: 300 },
    },
  },
  verifyEmail: {
    request: {
      type: 'application/json',
      value: { email: 'ada@acme.example', token: 'Example-token-00000000000000000000000000000' },
    },
    answer: { type: 'application/json', value: { message: 'The address is confirmed', email_verified: true } },
  },
};
