import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { sha256 } from '../../../platform/crypto/index.js';
import { bareName, Mailer } from '../../../platform/mail/index.js';
import { type Organization, OrganizationsReader } from '../organizations/index.js';
import type { Invitation } from './invitation.entity.js';
import { LIFE_DAYS } from './invitation-states.js';
import { InvitationsRepository } from './invitations.repository.js';

/** Sends the e-mail of an invitation after its transaction has committed, and stores the result. */
@Injectable()
export class InvitationMailer {
  constructor(
    private readonly mailer: Mailer,
    private readonly invitations: InvitationsRepository,
    private readonly organizations: OrganizationsReader,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Does not throw when sending fails: the invitation's `deliveryStatus` reports the result. */
  async send(invitation: Invitation, token: string): Promise<void> {
    const organization = await this.organizations.get(invitation);
    const { status } = await this.mailer.send({
      to: invitation.email,
      subject: 'You are invited to an organization',
      text: this.textFor(invitation, organization, token),
    });
    await this.invitations.recordDelivery(invitation, invitation.id, sha256(token), status);
  }

  private textFor(invitation: Invitation, organization: Organization, token: string): string {
    const query = new URLSearchParams({ token }).toString();
    const name = bareName(organization.name) || 'an organization';
    return `You are invited to join "${name}" at the Operational Event Service as ${invitation.role}.

Open this link within ${LIFE_DAYS} days to answer:

${this.config.http.publicAppUrl}/invites/${invitation.id}?${query}

If you have no account yet, register with this address first. If you do not know who invites you, you need not do
anything.
`;
  }
}
