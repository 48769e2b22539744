import type { Examples } from './example.js';

/** Written by hand, because recordings have only the operations of the public document. */
export const EXAMPLES: Examples = {
  getReceivedInvitation: {
    parameters: { invite_id: '019cadc6-9a80-7501-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7501-8000-000000000001',
        organization_name: 'Acme',
        role: 'operator',
        invited_by: 'Ada',
        status: 'pending',
        expires_at: '2026-03-09T04:10:34.000Z',
      },
    },
  },
};
