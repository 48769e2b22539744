import { Refusal, type Tokens } from '@operational-events/client';
import { queryOptions } from '@tanstack/react-query';
import { renew, session } from '../../api/session.js';
import { observedFetch } from '../../api/waiting.js';

/** An invitation, as the answer of `GET /invitations/{invite_id}` describes it to the invited person. */
interface ReceivedInvitation {
  readonly organization_name: string;
  readonly role: 'operator' | 'viewer';
  /** Null when the account of that person was deleted. */
  readonly invited_by: string | null;
  readonly status: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired';
  readonly expires_at: string;
}

/** The path is outside of `/v1`, so the client does not have it. Refusals are those of an answer to the invitation. */
export const receivedInvitation = (id: string) =>
  queryOptions({
    queryKey: ['received-invitation', id],
    queryFn: async ({ signal }): Promise<ReceivedInvitation> => {
      const ask = (tokens: Tokens | null): Promise<Response> => {
        const headers = { Authorization: `Bearer ${tokens?.access_token ?? ''}` };
        return observedFetch(`/invitations/${encodeURIComponent(id)}`, { headers, signal });
      };
      const { tokens } = session;
      let response = await ask(tokens);
      if (response.status === 401 && tokens !== null) response = await ask(await session.renew(tokens, renew));
      const answer = (await response.json()) as ReceivedInvitation & { readonly detail: unknown };
      if (!response.ok) throw new Refusal('acceptInvite', response.status, answer.detail, response.headers);
      return answer;
    },
  });
