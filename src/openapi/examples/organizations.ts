import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  listOrganizations: {
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-7af3-8000-000000000001',
          name: 'Acme',
          slug: 'acme',
          owner_id: '019cadc6-9a80-704f-8000-000000000001',
          created_at: '2026-03-02T00:55:59.000Z',
        },
      ],
    },
  },
  createOrganization: {
    request: { type: 'application/json', value: { name: 'Acme', slug: 'acme' } },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7af3-8000-000000000001',
        name: 'Acme',
        slug: 'acme',
        owner_id: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T01:05:07.000Z',
      },
    },
  },
  acceptInvite: {
    request: { type: 'application/json', value: { token: 'Example-token-00000000000000000000000000000' } },
    answer: {
      type: 'application/json',
      value: { organization_id: '019cadc6-9a80-7af3-8000-000000000001', role: 'operator', status: 'accepted' },
    },
  },
  declineInvite: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7501-8000-000000000001',
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        email: 'a***@acme.example',
        role: 'operator',
        status: 'declined',
        created_at: '2026-03-02T00:54:32.000Z',
        expires_at: '2026-03-09T00:54:32.000Z',
        last_sent_at: '2026-03-02T00:54:32.000Z',
        email_sent: false,
        delivery_status: 'not_configured',
      },
    },
  },
  resendInvite: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7501-8000-000000000001',
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        email: 'a***@acme.example',
        role: 'operator',
        status: 'pending',
        created_at: '2026-03-02T00:56:00.000Z',
        expires_at: '2026-03-09T00:57:36.000Z',
        last_sent_at: '2026-03-02T00:57:36.000Z',
        email_sent: false,
        delivery_status: 'not_configured',
      },
    },
  },
  revokeInvite: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7501-8000-000000000001',
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        email: 'a***@acme.example',
        role: 'operator',
        status: 'revoked',
        created_at: '2026-03-02T00:56:00.000Z',
        expires_at: '2026-03-09T00:57:36.000Z',
        last_sent_at: '2026-03-02T00:57:36.000Z',
        email_sent: false,
        delivery_status: 'not_configured',
      },
    },
  },
  getOrganization: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7af3-8000-000000000001',
        name: 'Acme',
        slug: 'acme',
        owner_id: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T00:55:59.000Z',
      },
    },
  },
  listInvitationAudits: {
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-7af3-8000-000000000001',
          action: 'accept',
          outcome: 'refused',
          reason_code: 'inviter_without_right',
          requested_role: 'operator',
          request_id: '019cadc6-9a80-71f5-8000-000000000001',
          invitation_id: '019cadc6-9a80-7a30-8000-000000000001',
          created_at: '2026-03-02T00:54:35.000Z',
        },
        {
          id: '019cadc6-9a80-7af3-8000-000000000002',
          action: 'create',
          outcome: 'success',
          reason_code: null,
          requested_role: 'operator',
          request_id: '019cadc6-9a80-71f5-8000-000000000002',
          invitation_id: '019cadc6-9a80-7a30-8000-000000000002',
          created_at: '2026-03-02T00:54:35.000Z',
        },
      ],
    },
  },
  listInvites: {
    answer: {
      type: 'application/json',
      value: [
        {
          id: '019cadc6-9a80-7501-8000-000000000001',
          organization_id: '019cadc6-9a80-7af3-8000-000000000001',
          email: 'a***@acme.example',
          role: 'operator',
          status: 'revoked',
          created_at: '2026-03-02T00:56:00.000Z',
          expires_at: '2026-03-09T00:57:36.000Z',
          last_sent_at: '2026-03-02T00:57:36.000Z',
          email_sent: false,
          delivery_status: 'not_configured',
        },
      ],
    },
  },
  createInvite: {
    request: { type: 'application/json', value: { email: 'ada@acme.example', role: 'viewer' } },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7501-8000-000000000001',
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        email: 'a***@acme.example',
        role: 'viewer',
        status: 'pending',
        created_at: '2026-03-02T00:54:30.000Z',
        expires_at: '2026-03-09T00:54:30.000Z',
        last_sent_at: '2026-03-02T00:54:30.000Z',
        email_sent: false,
        delivery_status: 'not_configured',
      },
    },
  },
  listOrganizationMembers: {
    answer: {
      type: 'application/json',
      value: [
        {
          organization_id: '019cadc6-9a80-7af3-8000-000000000001',
          user_id: '019cadc6-9a80-704f-8000-000000000001',
          display_name: 'Ada',
          identity: 'a***@acme.example',
          role: 'viewer',
          status: 'active',
          is_owner: false,
          can_change_role: true,
          can_revoke: true,
          created_at: '2026-03-02T00:59:39.000Z',
        },
        {
          organization_id: '019cadc6-9a80-7af3-8000-000000000001',
          user_id: '019cadc6-9a80-704f-8000-000000000002',
          display_name: 'a***@acme.example',
          identity: 'a***@acme.example',
          role: 'owner',
          status: 'active',
          is_owner: true,
          can_change_role: false,
          can_revoke: false,
          created_at: '2026-03-02T00:59:38.000Z',
        },
      ],
    },
  },
  updateOrganizationMember: {
    request: { type: 'application/json', value: { role: 'viewer' } },
    answer: {
      type: 'application/json',
      value: {
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        user_id: '019cadc6-9a80-704f-8000-000000000001',
        display_name: 'a***@acme.example',
        identity: 'a***@acme.example',
        role: 'viewer',
        status: 'active',
        is_owner: false,
        can_change_role: true,
        can_revoke: true,
        created_at: '2026-03-02T00:56:00.000Z',
      },
    },
  },
  deleteOrganizationMember: { answer: { type: 'application/json', value: { message: 'Member removed' } } },
};
